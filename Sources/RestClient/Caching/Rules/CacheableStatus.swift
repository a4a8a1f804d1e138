// SPDX-License-Identifier: MIT

import HTTPTypes

enum CacheableStatus {
    /// Returns true for statuses whose responses may be reused for a while without an explicit lifetime (RFC 9110,
    /// section 15.1).
    static func isHeuristicallyCacheable(_ status: HTTPResponse.Status) -> Bool {
        switch status.code {
        case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// Returns true for statuses whose meaning for caching this cache knows, for `must-understand` (RFC 9111, section
    /// 5.2.2.3).
    static func isUnderstood(_ status: HTTPResponse.Status) -> Bool {
        switch status.code {
        case 200...206, 300...303, 307, 308, 400...417, 421, 422, 426, 428, 429, 431, 451, 500...505: true
        default: false
        }
    }

    static func isFinal(_ status: HTTPResponse.Status) -> Bool {
        (200..<600).contains(status.code) && status != .notModified
    }
}
