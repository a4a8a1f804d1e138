// SPDX-License-Identifier: MIT

import HTTPTypes

extension RestClientError {
    /// A coarse class of failures, for code that only needs to know whom to blame.
    public enum Category: Sendable, Hashable {
        /// The request is wrong, or the response cannot be understood: trying again will not help.
        case request
        /// The network or the server's host could not be reached.
        case network
        /// The call did not end in time.
        case timeout
        /// The server answered 401, or no token could be had: it wants other credentials.
        case unauthorized
        /// The server answered 503: it is not available now.
        case serverUnavailable
        /// The server answered with another status that the request does not accept.
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
            // Whoever is offline is not signed out.
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
