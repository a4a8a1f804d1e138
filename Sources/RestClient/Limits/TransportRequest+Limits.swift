// SPDX-License-Identifier: MIT

extension TransportRequest {
    /// Sets the limits that only a transport can keep.
    mutating func limit(by policy: CallPolicy) {
        idleTimeout = policy.idleTimeout
        firstByteTimeout = policy.options[.firstByteTimeout]
        decompressionLimit = policy.options[.decompressionLimit]
    }
}
