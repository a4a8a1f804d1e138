// SPDX-License-Identifier: MIT

import HTTPTypes

extension RestClientError {
    /// The class of the failure.
    public var failureClass: FailureClass {
        switch code {
        case .hostNotFound, .connectionFailed, .connectionClosed, .tlsFailed, .transportClosed, .transportFailed,
            .webSocketClosed:
            return .network
        case .timeout:
            return .timeout
        case .unacceptableStatus:
            switch status {
            case .unauthorized: return .unauthorized
            case .serviceUnavailable: return .serverUnavailable
            default: return .status
            }
        case .tokenRefreshFailed where underlying is UserChange:
            // The next call is sent as the new user.
            return .internal
        case .tokenRefreshFailed:
            // Being offline does not mean that the user is signed out.
            switch (underlying as? RestClientError)?.failureClass {
            case .network: return .network
            case .timeout: return .timeout
            case .serverUnavailable: return .serverUnavailable
            default: return .unauthorized
            }
        default:
            return .internal
        }
    }
}
