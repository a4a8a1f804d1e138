// SPDX-License-Identifier: MIT

import RestClient
import RestClientWebSocket
import Synchronization

/// A WebSocket of the input: sends what its line says while it writes what comes.
struct SocketExchange: Sendable {
    /// The messages that are there, which a close waits for.
    private final class Tally: Sendable {
        let count = Atomic<Int>(0)
    }

    /// How long the server says nothing before a close without a `take` is sent.
    private static let quiet = Duration.milliseconds(250)

    let request: WireRequest
    let socket: WebSocket<WebSocketMessage, WebSocketMessage>

    /// Runs the conversation; returns the last line about it.
    func run() async throws -> OutputLine {
        let tally = Tally()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await send(tally) }
            defer { group.cancelAll() }
            do {
                while tally.count.load(ordering: .relaxed) < request.take ?? .max,
                    let message = try await socket.receive()
                {
                    await Output.standard.write(.message(to: request.id, message))
                    tally.count.add(1, ordering: .relaxed)
                }
            } catch let error as RestClientError where error.code == .webSocketClosed {
                // The server closed with a code that is not a regular one.
            }
            if socket.closure == nil {
                let close = farewell
                await socket.close(close.code, reason: close.reason)
            }
            guard let closure = socket.closure else {
                throw WireError(text: "the connection did not end")
            }
            return .closed(request.id, closure)
        }
    }

    /// The close in the line; the regular one if there is none.
    private var farewell: (code: WebSocketCloseCode, reason: String) {
        for case .close(let code, let reason) in request.send ?? [] {
            return (code, reason)
        }
        return (.normal, "")
    }

    /// Sends the messages, and closes once what they led to is there: a close drops what comes after it.
    private func send(_ tally: Tally) async throws {
        for frame in request.send ?? [] {
            switch frame {
            case .message(let message):
                try await socket.send(message)
            case .close(let code, let reason):
                guard request.take == nil else {
                    return
                }
                var last = -1
                while case let count = tally.count.load(ordering: .relaxed), count != last {
                    last = count
                    try await Task.sleep(for: Self.quiet)
                }
                return await socket.close(code, reason: reason)
            }
        }
    }
}
