// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

extension Repetition {
    init(of request: OutgoingRequest) {
        let call = request.call
        self.init(request.method, isDeclared: !call.policy.options.isUnsafe(request.method), body: request.body)
        let facts = call.facts
        mayHaveHadEffect = facts.unsafeCount > 0
        hasActedBeforeRedirect = facts.hasEndedUnsafeRequest
    }

    /// Creates the facts about a request whose call nobody knows.
    init(_ method: HTTPRequest.Method, isDeclared: Bool, body: RequestBody?) {
        self.init(isSafe: method.isSafe, isIdempotent: method.isIdempotent || isDeclared)
        self.body = body.map { $0.canBeSent ? .ready : .spent } ?? .none
    }
}

extension CallOptions {
    /// Returns true unless sending a request twice has the same effect as sending it once: by its method, or because
    /// the call says so.
    func isUnsafe(_ method: HTTPRequest.Method) -> Bool {
        !method.isIdempotent && self[.isIdempotent] != true
    }
}

extension Repetition.Reason {
    /// Returns the error that an event names as the cause: that of a body that cannot be sent again, otherwise the
    /// given one.
    func error(after error: any Error) -> any Error {
        self == .bodySpent ? RestClientError(.bodyNotRepeatable, clause) : error
    }
}
