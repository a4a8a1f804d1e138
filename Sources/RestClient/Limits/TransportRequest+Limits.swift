// SPDX-License-Identifier: MIT

extension TransportRequest {
    mutating func limit(by policy: CallPolicy) {
        idleTimeout = policy.idleTimeout
        firstByteTimeout = policy.options[.firstByteTimeout]
        decompressionLimit = policy.options[.decompressionLimit]
    }
}
