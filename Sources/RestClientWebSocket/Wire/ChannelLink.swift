// SPDX-License-Identifier: MIT

import NIOCore
import RestClient
import RestEssentials
import Synchronization

/// A connection over a channel: passes wishes to its handler, and waits for what comes.
final class ChannelLink: MessageLink {
    /// Waits on the clock of the manager.
    typealias Pause = @Sendable (Duration) async throws -> Void

    private struct State {
        var closure: WebSocketClosure?
        var keepAlive: Task<Void, Never>?
        var hasEnded = false
    }

    private let channel: any Channel
    private let inbox: Inbox
    private let pongs = PongTable()
    private let options: WebSocketOptions
    private let host: String
    private let pause: Pause
    private let state = Mutex(State())

    /// Creates the link of a channel whose handshake is done; its handler has to be added.
    init(_ channel: any Channel, _ options: WebSocketOptions, host: String, pause: @escaping Pause) {
        self.channel = channel
        self.options = options
        self.host = host
        self.pause = pause
        inbox = Inbox(limit: options.aheadLimit)
    }

    /// Makes the handler of the channel.
    func makeHandler(
        codec: MessageCodec?,
        translate: @escaping @Sendable (any Error) -> any Error
    ) -> ConnectionHandler {
        ConnectionHandler(
            WebSocketStateMachine(
                messageLimit: options.messageLimit,
                fragmentLimit: options.fragmentLimit,
                codec: codec
            ),
            inbox: inbox,
            pongs: pongs,
            fragmentSize: options.fragmentSize,
            translate: translate
        ) { [weak self] closure, error in
            self?.end(closure, error)
        }
    }

    var closure: WebSocketClosure? { state.withLock { $0.closure } }

    private func end(_ closure: WebSocketClosure, _ error: (any Error)?) {
        let keepAlive = state.withLock { state in
            state.closure = state.closure ?? closure
            state.hasEnded = true
            return state.keepAlive.take()
        }
        keepAlive?.cancel()
        pongs.end()
        inbox.finish(error, dropsMessages: error is CancellationError)
    }

    // MARK: - Messages

    func receive() async throws -> WebSocketMessage? {
        try await withTaskCancellationHandler {
            try await inbox.next { [channel] in
                channel.write(ConnectionHandler.Command.resume, promise: nil)
            }
        } onCancel: {
            cancel()
        }
    }

    func send(_ message: WebSocketMessage) async throws {
        try Task.checkCancellation()
        try await perform(.send(message))
    }

    func ping() async throws {
        try Task.checkCancellation()
        let (number, payload) = pongs.begin()
        try await perform(.ping(payload))
        guard try await pongs.wait(for: number) else {
            throw ended
        }
    }

    /// Passes a wish to the handler, and waits until it was passed to the system.
    private func perform(_ command: ConnectionHandler.Command) async throws {
        do {
            try await withTaskCancellationHandler {
                try await channel.writeAndFlush(command).get()
            } onCancel: {
                // What waits for the network cannot be taken back.
                cancel()
            }
        } catch {
            throw Task.isCancelled ? CancellationError() : ended
        }
    }

    private var ended: RestClientError {
        let how = closure.map { ": it was \($0)" } ?? ""
        return RestClientError(.connectionClosed, "the WebSocket to \(host) is closed\(how)", underlying: closure)
    }

    // MARK: - The end

    func close(_ code: WebSocketCloseCode, reason: String) async {
        channel.writeAndFlush(ConnectionHandler.Command.close(code, reason: reason), promise: nil)
        let (channel, pause, timeout) = (channel, pause, options.closeTimeout)
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await Self.closed(channel)
                return true
            }
            group.addTask {
                try? await pause(timeout)
                return false
            }
            if await group.next() == false {
                channel.close(promise: nil)
            }
            group.cancelAll()
        }
    }

    /// Waits until a channel is closed; the caller closes it when the wait takes too long.
    private static func closed(_ channel: any Channel) async {
        try? await channel.closeFuture.get()
    }

    func cancel() {
        channel.writeAndFlush(ConnectionHandler.Command.abandon, promise: nil)
    }

    // MARK: - Pings

    /// Begins to send pings.
    func keepAlive() {
        guard let interval = options.pingInterval, interval > .zero else {
            return
        }
        let task = Task { [weak self, options, pause] in
            do {
                while true {
                    try await pause(interval)
                    guard let self else {
                        return
                    }
                    try self.sendPing()
                    try await pause(options.pongTimeout)
                    self.checkLife()
                }
            } catch {
                // The connection has ended.
            }
        }
        let hasEnded = state.withLock { state in
            if !state.hasEnded {
                state.keepAlive = task
            }
            return state.hasEnded
        }
        if hasEnded {
            task.cancel()
        }
    }

    private func sendPing() throws {
        try Task.checkCancellation()
        pongs.listen()
        channel.writeAndFlush(ConnectionHandler.Command.ping(pongs.begin().payload), promise: nil)
    }

    /// Fails the connection if nothing came since the ping, although it was read.
    private func checkLife() {
        guard !pongs.hasHeard, !inbox.isHeld else {
            return
        }
        let error = RestClientError(
            .timeout,
            "\(host) did not respond to a WebSocket ping within \(options.pongTimeout)"
        )
        channel.writeAndFlush(ConnectionHandler.Command.fail(error), promise: nil)
    }
}
