// SPDX-License-Identifier: MIT

import RestClient

/// The rules of the feed of a WebSocket.
extension ReconnectionStateMachine {
    /// The codes of a close after which a connection is opened again, however the server was asked: what the server
    /// says of itself, and ends without a word.
    static let transientCodes: Set<WebSocketCloseCode> = [
        .goingAway, .noStatus, .abnormal, .internalError, .serviceRestart, .tryAgainLater, .badGateway,
    ]

    /// Takes the regular end of a connection; `random` is a number from 0 to 1, for the wait.
    mutating func closed(_ closure: WebSocketClosure?, random: Double) -> Action {
        guard let closure, closure.isByServer, Self.transientCodes.contains(closure.code) else {
            return finish()
        }
        return interrupted(by: nil, random: random)
    }

    /// Records that a connection could not be opened, or failed, by the error before mappers replaced it.
    mutating func failed(_ error: any Error, random: Double) -> Action {
        isTransient(error) ? interrupted(by: error, random: random) : failed(error)
    }

    /// True if an error only interrupts a feed, or the policy or the server calls it transient.
    private func isTransient(_ error: any Error) -> Bool {
        guard let error = error as? RestClientError else {
            return false
        }
        switch error.code {
        case .webSocketClosed:
            return (error.underlying as? WebSocketClosure).map { Self.transientCodes.contains($0.code) } ?? false
        case .unacceptableStatus:
            return error.status.map { policy.transientStatuses.contains($0.code) } ?? false
        default:
            return error.isInterruption
        }
    }
}
