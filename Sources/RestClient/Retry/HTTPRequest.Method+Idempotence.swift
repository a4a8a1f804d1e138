// SPDX-License-Identifier: MIT

import HTTPTypes

extension HTTPRequest.Method {
    /// A Boolean value that is true if sending the same request twice has the effect of sending it once (RFC 9110,
    /// section 9.2.2).
    var isIdempotent: Bool {
        switch self {
        case .get, .head, .put, .delete, .options, .trace: true
        default: false
        }
    }
}
