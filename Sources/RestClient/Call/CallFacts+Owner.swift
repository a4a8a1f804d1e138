// SPDX-License-Identifier: MIT

import HTTPTypes

extension CallFacts {
    /// Returns true if nobody but the user whom a request names by its own fields, or its policy, can be meant by what was sent:
    /// another user's token may have been set meanwhile, and an attempt interceptor may have added credentials.
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
        return Self.credentials(in: wire) == Self.credentials(in: headers)
    }

    /// Returns the credentials in header fields as one text; `nil` when there are none.
    static func credentials(in headers: HTTPFields) -> String? {
        let values = Redaction.credentialFields.flatMap { name in
            headers[values: name].map { "\(name.canonicalName):\($0)" }
        }
        return values.isEmpty ? nil : values.joined(separator: "\n")
    }
}
