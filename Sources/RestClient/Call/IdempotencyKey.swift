// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import RestEssentials

/// A key by which a server recognizes a request that it has received before, so that it acts on it only once.
///
/// ```swift
/// manager.servers[.payments] = Server("https://api.example.com").idempotencyKey(.perCall).retry(.standard)
/// try await manager.request(.pay).idempotencyKey(.of("order-\(order.id)")).values(["amount": 700]).send()
/// ```
///
/// See ``CallConfigurable/idempotencyKey(_:field:)``.
public struct IdempotencyKey: Sendable {
    enum Source: Sendable {
        case call
        case text(String)
        case request(@Sendable (OutgoingRequest) throws -> String)
    }

    let source: Source

    /// A new random UUID for each call, which all attempts of the call have in common.
    public static let perCall = IdempotencyKey(source: .call)

    /// Uses a key of your own, such as the number of an order; two calls with the same key have one effect.
    ///
    /// It belongs on a ``RequestNode``: at an outer level, the server would take all calls for one.
    ///
    /// - Parameter text: The key, in printable ASCII. Any other, or an empty one, makes the call fail with
    ///   ``RestClientError/Code-swift.struct/invalidHeader``.
    /// - Returns: The key.
    public static func of(_ text: String) -> IdempotencyKey {
        IdempotencyKey(source: .text(text))
    }

    /// Derives the key from the request, for example from a digest of its body; it is asked once for each call.
    ///
    /// - Parameter key: Returns the key of a request, which has neither the token nor the fields of header providers
    ///   yet. One that is empty, or not in printable ASCII, makes the call fail with
    ///   ``RestClientError/Code-swift.struct/invalidHeader``. An error that it throws fails the call, and is passed on
    ///   unchanged.
    /// - Returns: The key.
    public static func derived(_ key: @escaping @Sendable (OutgoingRequest) throws -> String) -> IdempotencyKey {
        IdempotencyKey(source: .request(key))
    }
}

extension CallConfigurable {
    /// Sends a key with requests that may change data, so that the server acts once on a request that it receives
    /// several times; without a key at any level, none is sent.
    ///
    /// All attempts of a call have the same key: retries, the attempt with a fresh token, redirects that keep the
    /// method, and fallbacks to another server. A request with a key is therefore repeated like a `PUT`, whatever its
    /// method. Use it only for servers that document such a field, and for a fallback to another server only if both
    /// remember the same keys. Requests with safe methods, such as `GET`, have no key.
    ///
    /// A field that another level sets to a fixed value is the key. Another call has another key, unless the key is one
    /// of your own: another attempt of a node in a graph is another call. In a run with a journal, the key of the
    /// journal takes the place of ``IdempotencyKey/perCall``. A key that the journal has recorded takes the place of
    /// any other, so that it is the same after a crash.
    ///
    /// - Parameters:
    ///   - key: The key; `nil` revokes that of an outer level.
    ///   - field: The name of the header field that the server reads; that of an outer level by default, and
    ///     `Idempotency-Key` if none sets it.
    /// - Returns: A changed copy.
    public consuming func idempotencyKey(_ key: IdempotencyKey?, field: String? = nil) -> Self {
        var option = IdempotencyOption(key: key, field: options[.idempotencyKey]?.field)
        if let field {
            switch HeaderCheck.name(field) {
            case .success(let name): option.field = name
            case .failure(let error): options.note(error)
            }
        }
        if case .text(let text)? = key?.source, let name = option.name, let defect = name.defect(ofKey: text) {
            options.note(defect)
        }
        options[.idempotencyKey] = option
        return self
    }
}

struct IdempotencyOption: Sendable {
    let key: IdempotencyKey?
    var field: HTTPField.Name?

    static let usualName = HTTPField.Name("Idempotency-Key")

    var name: HTTPField.Name? { field ?? Self.usualName }
}

extension CallOptionKey<IdempotencyOption> {
    static var idempotencyKey: Self {
        Self(
            "idempotency key",
            join: { outer, inner in IdempotencyOption(key: inner.key, field: inner.field ?? outer.field) },
            describe: { option in
                switch option.key?.source {
                case nil: "none"
                case .call: "one for each call"
                case .text: "a text"
                case .request: "derived from the request"
                }
            }
        )
    }
}

extension HTTPField.Name {
    fileprivate func defect(ofKey text: String) -> RestClientError? {
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            return RestClientError(
                .invalidHeader,
                "the idempotency key for the header field '\(rawName)' has characters other than printable ASCII; "
                    + "encode it"
            )
        }
        guard text.utf8.contains(where: { $0 != 0x20 }) else {
            return RestClientError(
                .invalidHeader,
                "the idempotency key for the header field '\(rawName)' is empty; use .perCall for a key of the call"
            )
        }
        return nil
    }
}

/// The idempotency key that a call sends with its requests.
final class IdempotencyTerms: PolicyPart {
    fileprivate let key: IdempotencyKey
    fileprivate let name: HTTPField.Name

    private init(_ key: IdempotencyKey, _ name: HTTPField.Name) {
        self.key = key
        self.name = name
    }

    /// Creates the terms from the options of a call; `nil` if it sends no key.
    static func of(_ options: CallOptions, _ method: HTTPRequest.Method) -> IdempotencyTerms? {
        guard !method.isSafe, let option = options[.idempotencyKey], let key = option.key, let name = option.name else {
            return nil
        }
        return IdempotencyTerms(key, name)
    }

    /// True if the key says which effect is meant, and not only which call.
    fileprivate var isOfEffect: Bool {
        if case .call = key.source { false } else { true }
    }

    /// Removes the providers of the field, each of which would return another key for each attempt, and sets the key of
    /// a journal: that of an earlier run, otherwise a new one if the request has none.
    static func mark(_ headers: inout HeaderFields, _ terms: IdempotencyTerms?, _ pass: JournalPass?) {
        guard terms != nil || pass != nil, let name = terms?.name ?? IdempotencyOption.usualName else {
            return
        }
        headers.providers.removeAll { $0.name == name }
        guard let key = pass?.key else {
            return
        }
        if key.isForced || (headers.fields[name] == nil && terms?.isOfEffect != true) {
            headers.fields[name] = key.value
        }
    }

    fileprivate func value(for request: OutgoingRequest) throws -> String {
        let value =
            switch key.source {
            case .call: UUID().uuidString
            case .text(let text): text
            case .request(let derive): try derive(request)
            }
        if let defect = name.defect(ofKey: value) {
            throw defect
        }
        return value
    }

    func complete(_ request: inout OutgoingRequest) throws(RestClientError) {
        guard let key = request.call.learn({ $0.idempotencyKey }) else {
            return
        }
        if request.method.isSafe {
            request.headers[key.name] = nil
        } else if !request.headers.contains(key.name) {
            // It means nothing to a server that does not know the field.
            request.headers[key.name] = key.value
        }
    }
}

extension OutgoingRequest {
    /// Returns the request with the key of its call, which is that of the first request.
    func withIdempotencyKey() throws -> OutgoingRequest {
        let known = call.learn { $0.idempotencyKey }
        let terms = call.policy.part(IdempotencyTerms.self)
        guard let name = terms?.name ?? known?.name else {
            return self
        }
        guard let value = try known?.value ?? headers[name] ?? terms?.value(for: self) else {
            return self
        }
        var request = self
        request.headers[name] = value
        let key = HTTPField(name: name, value: value)
        call.learn { $0.idempotencyKey = key }
        return request
    }
}

/// Allows an unsafe request of a run with a journal to be sent once its record is stored.
final class JournalPass: Sendable {
    private let work: UnsafeWork

    init(_ work: UnsafeWork) {
        self.work = work
    }

    fileprivate var key: (value: String, isForced: Bool) { work.key }

    /// Counts a request that succeeded as long as another attempt of its node would send it again.
    func hold(_ effect: UnsafeEffects.Work) {
        work.hold(effect)
    }

    /// Sends the request after its record has been stored.
    func send(
        _ request: OutgoingRequest,
        _ send: (OutgoingRequest) async throws -> RawResponse
    ) async throws -> RawResponse {
        let name = request.call.policy.part(IdempotencyTerms.self)?.name ?? IdempotencyOption.usualName
        return try await work.perform(
            key: name.flatMap { request.headers[$0] },
            hadNoEffect: request.call.hadNoEffect
        ) {
            try await send(request)
        }
    }
}

extension CallOptionKey<JournalPass> {
    /// The pass of the request in a run with a journal, used if the request is unsafe.
    static var journalPass: Self { Self("journal pass", isInternal: true) { _ in "yes" } }
}
