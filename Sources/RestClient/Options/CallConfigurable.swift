// SPDX-License-Identifier: MIT

public import HTTPTypes

/// A level at which options of calls can be set: a manager's options, a ``Server``, an ``API`` or a
/// ``RequestNode``.
///
/// Every method returns a changed copy. The innermost level wins; collections add up, outermost first.
public protocol CallConfigurable {
    /// The options that this level sets.
    var options: CallOptions { get set }
}

/// A level whose mirror has its description and its options instead of its properties.
package protocol MirroredWithOptions: MirroredByDescription, CallConfigurable {}

extension MirroredWithOptions {
    /// The description and the options, for `dump` and other uses of reflection.
    public var customMirror: Mirror { Redaction.mirror(of: self, ["options": options.description]) }
}

extension CallConfigurable {
    /// Sets an option of your own.
    ///
    /// - Parameters:
    ///   - key: The option.
    ///   - value: Its value; interceptors read it as `request.call.options[key]`.
    /// - Returns: A changed copy.
    public consuming func option<Value>(_ key: CallOptionKey<Value>, _ value: Value) -> Self {
        options[key] = value
        return self
    }

    /// Sets the time limit of a whole call, from its start to the decoded model, including all attempts.
    ///
    /// - Parameter timeout: The limit; `nil` for none. 60 seconds if no level sets it.
    /// - Returns: A changed copy.
    public consuming func timeout(_ timeout: Duration?) -> Self {
        options[.timeout] = .some(timeout)
        return self
    }

    /// Sets which statuses count as success; every 2xx if no level sets them.
    ///
    /// - Parameter statuses: The statuses, as in `[.ok, .notFound]` or `StatusSet(200..<400)`.
    /// - Returns: A changed copy.
    public consuming func accepting(_ statuses: StatusSet) -> Self {
        options[.acceptedStatuses] = statuses
        return self
    }

    /// Sets the encoding of lists and Booleans in the query.
    ///
    /// - Parameter encoding: The encoding.
    /// - Returns: A changed copy.
    public consuming func queryEncoding(_ encoding: QueryEncoding) -> Self {
        options[.queryEncoding] = encoding
        return self
    }

    /// Adds tags, by which running calls can be selected (``RestClientManager/calls``).
    ///
    /// - Parameter tags: The tags, in addition to those of outer levels.
    /// - Returns: A changed copy.
    public consuming func tags(_ tags: String...) -> Self {
        options[.tags] = (options[.tags] ?? []).union(tags)
        return self
    }

    /// Rejects the call with ``RestClientError/Code-swift.struct/duplicateCall`` while another one like it is under
    /// way, regardless of its method.
    ///
    /// The second call can wait for the response to the first one instead: ``sharingFlight(_:as:)``.
    ///
    /// - Parameter key: The key of calls that are alike, as in `pay order 7`. By default those with equal methods, URLs
    ///   and bodies are, and those of equal methods and URLs with bodies that are not in memory.
    /// - Returns: A changed copy.
    public consuming func refusingDuplicates(of key: String? = nil) -> Self {
        options[.refusedDuplicates] = key
        return self
    }

    /// Delays a success until a minimum time has passed since the call began, so that a progress indicator does not
    /// flicker.
    ///
    /// Failures and stored responses are not delayed.
    ///
    /// - Parameter duration: The minimum duration; none if no level sets it.
    /// - Returns: A changed copy.
    public consuming func minimumDuration(_ duration: Duration) -> Self {
        options[.minimumDuration] = duration
        return self
    }

    /// Replaces the messages of errors, for example with texts to show to users.
    ///
    /// ```swift
    /// manager.options = manager.options
    ///     .errorTexts([.forbidden: "Ask for access.", .conflict: "Already taken."], byCode: [.timeout: "Too slow."])
    /// ```
    ///
    /// Texts of inner levels take precedence over those of outer ones, which they add to, and the text for a status
    /// over the one for a code.
    ///
    /// - Parameters:
    ///   - texts: The messages by the status of the response.
    ///   - codes: The messages by the code of the error, for example of those that arise without a response.
    /// - Returns: A changed copy.
    public consuming func errorTexts(
        _ texts: [HTTPResponse.Status: String] = [:],
        byCode codes: [RestClientError.Code: String] = [:]
    ) -> Self {
        if !texts.isEmpty {
            options[.errorTexts, default: [:]].merge(texts) { $1 }
        }
        if !codes.isEmpty {
            options[.errorTextsByCode, default: [:]].merge(codes) { $1 }
        }
        return self
    }

    /// Turns failures of calls into errors of your own.
    ///
    /// ```swift
    /// manager.servers[.store] = Server("https://api.example.com").mapError { error in
    ///     if let problem = error.decodedBody(as: Problem.self) { problem } else { error }
    /// }
    /// ```
    ///
    /// ``mapError(to:)`` does this in fewer words. The innermost mapper is called first. An outer one is called as long
    /// as the error is a ``RestClientError``.
    ///
    /// - Parameter transform: Returns the error to throw; errors of other types are passed on unchanged.
    /// - Returns: A changed copy.
    public consuming func mapError(_ transform: @escaping @Sendable (RestClientError) -> any Error) -> Self {
        options[.errorMappers, default: []].append(transform)
        return self
    }

    /// Turns failures whose response has a body of a type into errors of that type, and leaves the others as they are.
    ///
    /// ```swift
    /// struct Problem: Error, Decodable { let message: String }
    /// manager.servers[.store] = Server("https://api.example.com").mapError(to: Problem.self)
    /// ```
    ///
    /// It is a mapper like ``mapError(_:)``; the call's dogma decodes the body, see
    /// ``RestClientError/decodedBody(as:)``. The original error is the ``ClientEvent/cause`` of the call's last event.
    public consuming func mapError<Body: Error & Decodable>(to body: Body.Type) -> Self {
        mapError { error in
            if let body = error.decodedBody(as: Body.self) { body } else { error }
        }
    }

    /// Compresses the bodies of requests while they are sent, and sets `Content-Encoding` accordingly.
    ///
    /// The server must support the coding; few do. Interceptors and dummies see the uncompressed body.
    ///
    /// ```swift
    /// manager.servers[.logs] = Server("https://logs.example.com").compressingBody()
    /// ```
    ///
    /// - Parameter coding: The coding; gzip by default. `nil` revokes the setting of an outer level.
    /// - Returns: A changed copy.
    public consuming func compressingBody(_ coding: RequestCoding? = .gzip) -> Self {
        options[.requestCoding] = .some(coding)
        return self
    }

    /// Declares header fields as credentials.
    ///
    /// Such fields separate users in the cache, are dropped when a redirect leads to another server, and are masked in
    /// descriptions of the request. Fields that authentication is known to set, and fields whose names look secret,
    /// count without being declared.
    ///
    /// - Parameter names: The names of the fields, in addition to those that outer levels declare.
    /// - Returns: A changed copy.
    public consuming func credentialFields(_ names: HTTPField.Name...) -> Self {
        options[.credentialFields] = (options[.credentialFields] ?? []).union(names)
        return self
    }

    /// Allows header fields to be sent to any origin, although they would otherwise be withheld.
    ///
    /// Credentials that the manager or an environment sets are sent to registered servers only. A redirect or a next
    /// page at another server, which is another origin or a path beside that of the server's address, gets only the
    /// fields that mean the same to every server, such as `Accept`, `Content-Type` and `Range`. List here the fields
    /// that any origin may receive:
    ///
    /// ```swift
    /// manager.options = manager.options.header(sessionID, id).fieldsForAnyOrigin(sessionID)
    /// ```
    ///
    /// They still separate users in the cache and are masked. They never follow a redirect or a listing from `https` to
    /// `http`, and the token of an ``Authentication`` follows no redirect to another server.
    ///
    /// - Parameter names: The names of the fields, in addition to those of outer levels.
    /// - Returns: A changed copy.
    public consuming func fieldsForAnyOrigin(_ names: HTTPField.Name...) -> Self {
        options[.fieldsForAnyOrigin] = (options[.fieldsForAnyOrigin] ?? []).union(names)
        return self
    }
}

extension CallOptions {
    subscript<Value>(key: CallOptionKey<Value>, default value: @autoclosure () -> Value) -> Value {
        get { self[key] ?? value() }
        set { self[key] = newValue }
    }

    /// The user's message of an error: that of the status, or else that of the code.
    func errorText(of error: RestClientError) -> String? {
        if error.isOfStatus, let status = error.status, let text = self[.errorTexts]?[status] {
            return text
        }
        return self[.errorTextsByCode]?[error.code]
    }

    /// Returns the result of the levels' error mappers, the innermost first.
    func mapped(_ error: any Error) -> any Error {
        guard let mappers = self[.errorMappers] else {
            return error
        }
        var error = error
        for mapper in mappers.reversed() {
            guard let known = error as? RestClientError else {
                break
            }
            error = mapper(known)
        }
        return error
    }
}

// MARK: - Keys

typealias ErrorMapper = @Sendable (RestClientError) -> any Error

extension CallOptionKey<Set<String>> {
    static var tags: Self {
        Self("tags", join: { $0.union($1) }, describe: { $0.sorted().joined(separator: ", ") })
    }
}

extension CallOptionKey<String?> {
    static var refusedDuplicates: Self { Self("refused duplicates") { $0 ?? "equal requests" } }
}

extension CallOptionKey<[HTTPResponse.Status: String]> {
    static var errorTexts: Self {
        Self("error texts", join: { $0.merging($1) { $1 } }, describe: { "\($0.keys.map(\.code).sorted())" })
    }
}

extension CallOptionKey<[RestClientError.Code: String]> {
    static var errorTextsByCode: Self {
        Self(
            "error texts by code",
            join: { $0.merging($1) { $1 } },
            describe: { $0.keys.map(\.description).sorted().joined(separator: ", ") }
        )
    }
}

extension CallOptionKey<Duration> {
    static var minimumDuration: Self { Self("minimum duration", comparison: .byValue) { $0.description } }

    /// The time that the surrounding node and run leave for the call, regardless of its timeout.
    static var timeoutLimit: Self { Self("timeout limit") { $0.description } }
}

extension CallOptionKey<Duration?> {
    static var timeout: Self { Self("timeout", comparison: .byValue) { $0.map(\.description) ?? "none" } }
}

extension CallOptionKey<StatusSet> {
    static var acceptedStatuses: Self { Self("accepted statuses", comparison: .byValue) { $0.description } }
}

extension CallOptionKey<QueryEncoding> {
    static var queryEncoding: Self { Self("query encoding") { "\($0)" } }
}

extension CallOptionKey<[ErrorMapper]> {
    static var errorMappers: Self { Self("error mappers", join: { $0 + $1 }, describe: { "\($0.count)" }) }
}

extension CallOptionKey<RestClientError> {
    /// The defects of arguments; the call fails with the outermost one.
    static var defect: Self { Self("defect", join: { outer, _ in outer }) }
}

extension CallOptionKey<RequestCoding?> {
    static var requestCoding: Self { Self("request coding") { $0?.description ?? "none" } }
}

extension CallOptionKey<Set<HTTPField.Name>> {
    static var credentialFields: Self { names("credential fields") }

    static var fieldsForAnyOrigin: Self { names("fields for any origin") }

    /// The credentials that a call does not send, because its target is not a registered server or leaves encryption.
    static var withheldFields: Self { names("withheld credentials") }

    private static func names(_ name: String) -> Self {
        Self(
            name,
            join: { $0.union($1) },
            describe: { $0.map(\.rawName).sorted().joined(separator: ", ") }
        )
    }
}
