// SPDX-License-Identifier: MIT

import NIOCore
import NIOWebSocket
import RestClient
import RestEssentials
import Synchronization

/// A connection over a channel: passes wishes to its handler, and waits for what comes.
final class ChannelLink: MessageLink {
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
                try? await channel.closeFuture.get()
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

    func cancel() {
        channel.writeAndFlush(ConnectionHandler.Command.abandon, promise: nil)
    }

    // MARK: - Pings

    private func keepAlive() {
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
        let reason = "\(host) did not respond to a WebSocket ping within \(options.pongTimeout)"
        let error = RestClientError(.timeout, reason)
        channel.writeAndFlush(ConnectionHandler.Command.fail(error), promise: nil)
    }
}

extension ChannelLink {
    /// Sends the request of a handshake, over the transport of the manager unless the options say another one.
    ///
    /// - Returns: The response; one that agrees has the connection as its stream.
    static func open(
        _ request: TransportRequest,
        _ transport: any Transport,
        _ options: WebSocketOptions,
        pause: @escaping Pause
    ) async throws -> RawResponse {
        guard let wire = try options.wire?.transport ?? transport as? DirectTransport else {
            throw RestClientError(
                .transportFailed,
                "\(type(of: transport)) cannot open WebSockets; set the connections of .webSocketOptions(_:), which "
                    + "hold the trust and the time limit, or use a dummy"
            )
        }
        let key = HandshakeRules.makeKey()
        var request = request
        request.headers = try HandshakeRules.fields(
            request.headers,
            key: key,
            offered: options.subprotocols,
            offersCompression: options.offersCompression
        )
        let url = request.url
        return try await wire.upgrade(request) { fields, channel in
            let terms = try HandshakeRules.check(
                fields,
                key: key,
                offered: options.subprotocols,
                offersCompression: options.offersCompression
            )
            let host = (try? HTTPURL(sent: url))?.authority ?? url
            let link = ChannelLink(channel, options, host: host, pause: pause)
            // Frames are read only as fast as they are taken.
            try channel.syncOptions?.setOption(.autoRead, value: false)
            try channel.pipeline.syncOperations.addHandlers([
                WebSocketFrameEncoder(),
                ByteToMessageHandler(
                    WebSocketFrameDecoder(maxFrameSize: min(max(125, options.messageLimit), Int(UInt32.max)))
                ),
                ConnectionHandler(
                    WebSocketStateMachine(
                        messageLimit: options.messageLimit,
                        fragmentLimit: options.fragmentLimit,
                        codec: try terms.map { try MessageCodec($0) }
                    ),
                    inbox: link.inbox,
                    pongs: link.pongs,
                    fragmentSize: options.fragmentSize,
                    translate: { TransportFailure.error(for: $0, url: url) }
                ) { [weak link] in
                    link?.end($0, $1)
                },
            ])
            link.keepAlive()
            return link
        }
    }
}
