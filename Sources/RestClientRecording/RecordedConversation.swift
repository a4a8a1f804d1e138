// SPDX-License-Identifier: MIT

import RestClient
import RestClientWebSocket

/// Plays the server's side of a recorded WebSocket.
struct RecordedConversation: Sendable {
    let url: String
    let messages: [HAR.WebSocketMessage]
    let end: HAR.WebSocketEnd?
    let rules: RecordingRules

    /// Returns a connection on which the conversation is played.
    func begin() -> any MessageLink {
        let link = DummyLink()
        link.begin { [self] link in try await play(on: link) }
        return link
    }

    private func play(on link: DummyLink) async throws {
        for (index, recorded) in messages.enumerated() {
            guard recorded.isSent else {
                try await link.sendByServer(recorded.message)
                continue
            }
            guard let message = try await link.receiveByServer() else {
                return
            }
            let sent = rules.masked(HAR.WebSocketMessage(message, isSent: true, time: recorded.time))
            guard sent == rules.masked(recorded) else {
                throw RestClientError(
                    .notRecorded,
                    "message \(index + 1) of the WebSocket to \(url) is not the recorded one; record it again"
                )
            }
        }
        // Browsers do not write the end: the server closes.
        guard let end else {
            return
        }
        guard end.isByServer else {
            guard try await link.receiveByServer() == nil else {
                throw RestClientError(
                    .notRecorded,
                    "the WebSocket to \(url) has \(messages.count) recorded messages, and one more was sent; "
                        + "record it again"
                )
            }
            return
        }
        let code = WebSocketCloseCode(rawValue: end.code)
        if code == .abnormal {
            link.cut(RestClientError(.connectionClosed, "the WebSocket was cut, as it was when it was recorded"))
        } else {
            link.closeByServer(code, reason: end.reason)
        }
    }
}
