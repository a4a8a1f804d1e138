// SPDX-License-Identifier: MIT

import HTTPTypes

extension CallFacts {
    /// Returns true if the latest request was sent for the user given by the fields of a request, or by its policy.
    ///
    /// It was not if another user's token was set in the meantime, or if an attempt interceptor changed credentials.
    func isOwnerKnown(of headers: HTTPFields, _ policy: CallPolicy) -> Bool {
        guard policy.user == nil else {
            return true
        }
        if let identity = request.identity, let sent = request.sent, !sent.hasUser(of: identity) {
            return false
        }
        guard let wire = request.wire else {
            return true
        }
        let declared = policy.secretFields
        return Credentials.text(of: wire, declared: declared) == Credentials.text(of: headers, declared: declared)
    }
}

extension CallPolicy {
    /// Returns the owner of the response to a request: the user set for the call, otherwise the user of its token,
    /// otherwise all its credentials, among them the token; `nil` if the response is not specific to a user.
    func owner(of headers: HTTPFields, _ credential: SentCredential?) -> String? {
        if let user = user ?? credential?.user {
            return "user:\(user)"
        }
        return Credentials.text(of: headers, declared: secretFields)
    }
}
