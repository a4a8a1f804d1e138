// SPDX-License-Identifier: MIT

package import RestClient
import RestEssentials
import Synchronization

/// The connection to a dummy: two inboxes in memory.
package final class DummyLink: MessageLink {
    private struct State {
        var closure: WebSocketClosure?
        var conversation: Task<Void, Never>?
    }

    private let incoming = Inbox(limit: DummyLink.aheadLimit)
    private let outgoing = Inbox(limit: DummyLink.aheadLimit)
    private let state = Mutex(State())

    /// The number of bytes that either side takes ahead of the other, as the buffers of sockets do.
    private static let aheadLimit = 64 << 10

    package init() {}

    package func begin(_ play: @escaping @Sendable (DummyLink) async throws -> Void) {
        let task = Task {
            do {
                try await play(self)
                self.closeByServer(.normal, reason: "")
            } catch let error as RestClientError {
                self.cut(error)
            } catch {
                self.closeByServer(.internalError, reason: "")
            }
        }
        let hasEnded = state.withLock { state in
            state.conversation = task
            return state.closure != nil
        }
        if hasEnded {
            task.cancel()
        }
    }

    // MARK: - The client's side

    package var closure: WebSocketClosure? { state.withLock { $0.closure } }

    package func receive() async throws -> WebSocketMessage? {
        try await withTaskCancellationHandler {
            try await incoming.next()
        } onCancel: {
            cancel()
        }
    }

    package func send(_ message: WebSocketMessage) async throws {
        guard closure == nil else {
            throw ended
        }
        try await withTaskCancellationHandler {
            try await outgoing.put(message)
        } onCancel: {
            cancel()
        }
        // A message that went in with the end is lost, as on the wire.
    }

    package func ping() async throws {
        try Task.checkCancellation()
        guard closure == nil else {
            throw ended
        }
    }

    package func close(_ code: WebSocketCloseCode, reason: String) async {
        end(WebSocketClosure(code.canBeSent ? code : .noStatus, reason: reason, isByServer: false), nil)
    }

    package func cancel() {
        end(WebSocketClosure(.goingAway, isByServer: false), CancellationError())
    }

    private var ended: RestClientError {
        RestClientError(.connectionClosed, "the WebSocket to the dummy is closed", underlying: closure)
    }

    // MARK: - The server's side

    /// Waits for the client's next message; `nil` once the client has closed the connection.
    package func receiveByServer() async throws -> WebSocketMessage? {
        try await outgoing.next()
    }

    package func sendByServer(_ message: WebSocketMessage) async throws {
        guard closure == nil else {
            throw ended
        }
        try await incoming.put(message)
    }

    package func closeByServer(_ code: WebSocketCloseCode, reason: String) {
        let closure = WebSocketClosure(code.canBeSent ? code : .noStatus, reason: reason, isByServer: true)
        end(closure, closure.error)
    }

    package func cut(_ error: RestClientError) {
        end(WebSocketClosure(.abnormal, isByServer: true), error)
    }

    private func end(_ closure: WebSocketClosure, _ error: (any Error)?) {
        let conversation = state.withLock { state -> Task<Void, Never>? in
            guard state.closure == nil else {
                return nil
            }
            state.closure = closure
            return closure.isByServer ? nil : state.conversation.take()
        }
        incoming.finish(error, dropsMessages: !closure.isByServer)
        outgoing.finish(nil)
        if error is CancellationError {
            conversation?.cancel()
        }
    }
}
