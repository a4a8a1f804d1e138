// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

extension Repetition {
    /// Creates the facts about a request; only the effects count that its call did not have at an earlier time.
    init(of request: OutgoingRequest, since earlier: CallContext.Facts? = nil) {
        self.init(request.method, isDeclared: request.isDeclaredIdempotent, body: request.body)
        add(request.call.facts, since: earlier)
    }

    /// Creates the facts about the request with which a call began.
    init(of call: CallContext) {
        self.init(call.method, isDeclared: !call.policy.options.isUnsafe(call.method), body: call.prepared.body)
        add(call.facts)
    }

    private mutating func add(_ facts: CallContext.Facts, since earlier: CallContext.Facts? = nil) {
        mayHaveHadEffect = facts.unkeyedCount > (earlier?.unkeyedCount ?? 0)
        hasActedBeforeRedirect = facts.hasEndedUnsafeRequest && !facts.isKeyed
    }

    /// Creates the facts about a request whose call is unknown; its method says whether it is idempotent, unless
    /// `isDeclared` does.
    init(_ method: HTTPRequest.Method, isDeclared: Bool?, body: RequestBody?) {
        self.init(isSafe: method.isSafe, isIdempotent: isDeclared ?? method.isIdempotent)
        self.body = body.map { $0.canBeSent ? .ready : .spent } ?? .none
    }
}

extension OutgoingRequest {
    /// A Boolean value that is true if sending the request twice has the same effect as sending it once: by its method,
    /// because its call says so, or by its key.
    ///
    /// The parts of a series are separate requests, which a server would take for one.
    var isDeclaredIdempotent: Bool {
        !call.policy.options.isUnsafe(method) || (call.policy.series == nil && call.learn { $0.hasKey(headers) })
    }
}

extension CallOptions {
    /// Returns true unless sending a request twice has the same effect as sending it once: by its method, or because
    /// the call says so.
    ///
    /// If the state of the resource is the condition of the request, its second sending fails because of the first one.
    func isUnsafe(_ method: HTTPRequest.Method) -> Bool {
        !method.isSafe && (!method.isIdempotent || self[.isConditional] == true) && self[.isIdempotent] != true
    }
}

extension Repetition.Reason {
    /// Returns the error that an event names as the cause: that of a body that cannot be sent again, otherwise the
    /// given one.
    func error(after error: any Error) -> any Error {
        self == .bodySpent ? RestClientError(.bodyNotRepeatable, clause) : error
    }
}

extension CallConfigurable {
    /// Declares that sending the request twice has the same effect as sending it once, whatever its method.
    ///
    /// ```swift
    /// manager.apis[.search] = API(.post, "/search").idempotent()
    /// ```
    ///
    /// It is then repeated like a `PUT`: by a retry policy, after a lost connection, with a fresh token, by a stream or
    /// a download that continues, by another server of a fallback, and by a run with a journal, which stores no record
    /// of it. Only the server's documentation can say whether a `POST` or a `PATCH` is such a request: a search is,
    /// and so is an order whose body names an identifier that the server accepts once.
    ///
    /// - Parameter isIdempotent: Pass `false` to revoke the declaration of an outer level. Defaults to `true`.
    /// - Returns: A changed copy.
    public consuming func idempotent(_ isIdempotent: Bool = true) -> Self {
        options[.isIdempotent] = isIdempotent
        return self
    }
}

extension CallOptionKey<Bool> {
    static var isIdempotent: Self { Self("idempotent", comparison: .byValue) { "\($0)" } }

    /// True if the state of the resource is the condition of the request.
    static var isConditional: Self { Self("conditional", comparison: .byValue, isInternal: true) { "\($0)" } }
}

/// The rules by which the result of an unsafe request says whether it had an effect.
enum RequestEffect {
    /// Returns true if a request with the given result had no effect: it did not reach the server, or the server
    /// rejected it.
    ///
    /// The result must be that of the request itself, and not of a GET to which it was redirected; see
    /// ``CallContext/Facts/hadNoEffect(_:)``.
    static func isNone(_ result: Result<RawResponse, any Error>) -> Bool {
        switch result {
        case .success(let response): isRefusal(response)
        case .failure(let error): (error as? RestClientError).map(hasNotLeft) ?? false
        }
    }

    /// Returns true if the status says that the server did not act on the request.
    static func isRefusal(_ response: RawResponse) -> Bool {
        switch response.status.code {
        case 408: false
        case 400..<500: true
        case 503: response.headers[.retryAfter] != nil
        default: false
        }
    }

    /// Returns true if the error occurred before the request was sent.
    static func hasNotLeft(_ error: RestClientError) -> Bool {
        error.isUnsent ?? [.hostNotFound, .connectionFailed, .proxyFailed].contains(error.code)
    }
}
