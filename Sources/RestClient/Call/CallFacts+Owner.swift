// SPDX-License-Identifier: MIT

import HTTPTypes

extension CallFacts {
    /// Returns true if nobody but the user whom a request names by its own fields, or its policy, can be meant by what
    /// was sent: another user's token may have been set meanwhile, and an attempt interceptor may have added
    /// credentials.
    func isOwnerKnown(of headers: HTTPFields, _ policy: CallPolicy) -> Bool {
        guard policy.cachePartition == nil else {
            return true
        }
        if let identity, let sent, !sent.hasUser(of: identity) {
            return false
        }
        guard let wire else {
            return true
        }
        let declared = policy.credentialFields
        return Credentials.text(of: wire, declared: declared) == Credentials.text(of: headers, declared: declared)
    }
}
