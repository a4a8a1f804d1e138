// SPDX-License-Identifier: MIT

import RestEssentials

/// The rules of server-sent events.
extension ReconnectionStateMachine {
    /// Handles the head of the response, after redirects.
    mutating func responded(status: Int, contentType: String?, random: Double) -> Action {
        guard state == .connecting else {
            return .none
        }
        if reconnects, policy.transientStatuses.contains(status) {
            let error = RestClientError(.unacceptableStatus, "the server responded with \(status)")
            return interrupted(by: error, random: random)
        }
        switch status {
        case 204:
            return finish()
        case 200 where Self.isEventStream(contentType):
            return opened()
        case 200:
            return failed(
                RestClientError(
                    .notAnEventStream,
                    "the server responded with '\(Self.shown(contentType))' instead of 'text/event-stream'"
                )
            )
        default:
            return failed(
                RestClientError(.notAnEventStream, "the server responded with \(status) instead of an event stream")
            )
        }
    }

    /// Handles the end of the response, whether complete or interrupted, or the failure of the request.
    mutating func ended(_ error: (any Error)?, random: Double) -> Action {
        if state == .open, (error as? RestClientError)?.code == .timeout {
            // The server accepted the request; a feed may be silent.
            received()
        }
        return interrupted(by: error, random: random)
    }

    /// True if a media type is that of event streams, regardless of its parameters.
    private static func isEventStream(_ contentType: String?) -> Bool {
        guard let contentType else {
            return false
        }
        return FieldList.token(FieldList.essence(of: contentType)) == "text/event-stream"
    }

    private static func shown(_ contentType: String?) -> String {
        Redaction.text(contentType ?? "no content type").prefix(100).filter { !$0.isNewline }
    }
}
