// SPDX-License-Identifier: MIT

import RestClient
import RestClientWebSocket

/// A connection whose messages are noted as they pass, and its end.
final class RecordedLink: MessageLink {
    private let link: any MessageLink
    private let note: @Sendable (WebSocketMessage, _ isSent: Bool) -> Void
    private let end: @Sendable (WebSocketClosure) -> Void

    init(
        _ link: any MessageLink,
        note: @escaping @Sendable (WebSocketMessage, _ isSent: Bool) -> Void,
        end: @escaping @Sendable (WebSocketClosure) -> Void
    ) {
        self.link = link
        self.note = note
        self.end = end
    }

    deinit {
        noteEnd()
    }

    var closure: WebSocketClosure? { link.closure }

    func receive() async throws -> WebSocketMessage? {
        do {
            let message = try await link.receive()
            if let message {
                note(message, false)
            } else {
                noteEnd()
            }
            return message
        } catch {
            noteEnd()
            throw error
        }
    }

    func send(_ message: WebSocketMessage) async throws {
        // A response may come before the system says that the message went.
        note(message, true)
        try await link.send(message)
    }

    func ping() async throws {
        try await link.ping()
    }

    func close(_ code: WebSocketCloseCode, reason: String) async {
        await link.close(code, reason: reason)
        noteEnd()
    }

    func cancel() {
        link.cancel()
    }

    private func noteEnd() {
        if let closure = link.closure {
            end(closure)
        }
    }
}
