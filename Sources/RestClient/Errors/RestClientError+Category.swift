// SPDX-License-Identifier: MIT

import HTTPTypes

extension RestClientError {
    /// A coarse class of failures, for code that needs no details.
    public enum Category: Sendable, Hashable {
        /// The request is wrong, or the response cannot be understood: another attempt will not help.
        case request
        /// The network or the server's host could not be reached.
        case network
        /// The call did not end in time.
        case timeout
        /// The server responded with 401, or no token could be obtained: other credentials are needed.
        case unauthorized
        /// The server responded with 503: it is not available now.
        case serverUnavailable
        /// The server responded with another status that the request does not accept.
        case status
    }

    /// The class of the failure.
    public var category: Category {
        switch code {
        case .hostNotFound, .connectionFailed, .connectionClosed, .tlsFailed, .transportClosed, .transportFailed:
            return .network
        case .timeout:
            return .timeout
        case .unacceptableStatus:
            switch status {
            case .unauthorized: return .unauthorized
            case .serviceUnavailable: return .serverUnavailable
            default: return .status
            }
        case .tokenRefreshFailed:
            // Being offline does not mean being signed out.
            switch (underlying as? RestClientError)?.category {
            case .network: return .network
            case .timeout: return .timeout
            case .serverUnavailable: return .serverUnavailable
            default: return .unauthorized
            }
        default:
            return .request
        }
    }
}
