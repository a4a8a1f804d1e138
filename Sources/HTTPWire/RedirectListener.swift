// SPDX-License-Identifier: MIT

package import NIOCore
import NIOPosix
import RestEssentials
import Synchronization

/// A listener on 127.0.0.1 for the redirect with which a login in a browser ends (RFC 8252, section 7.3).
///
/// It takes one request, as ``RedirectRule`` says, responds to it with a fixed page, and closes its port. Any other
/// request is refused, and the listener goes on waiting: what strangers send ends no login. The port is closed when
/// the time is up, too, or the listener is released.
package final class RedirectListener: Sendable {
    package enum Fault: Error {
        case timedOut
    }

    private typealias Callers = Waiters<UInt64, Result<String, any Error>>

    private struct State {
        var channel: (any Channel)?
        /// The query of the redirect, from the time at which it is taken.
        var claimed: String?
        var outcome: Result<String, any Error>?
        var waiters = Callers()
        var lastWaiter: UInt64 = 0
    }

    fileprivate let rule: RedirectRule
    private let state = Mutex(State())

    private init(_ rule: RedirectRule) {
        self.rule = rule
    }

    deinit {
        state.withLock { $0.channel }?.close(promise: nil)
    }

    /// Opens a port.
    ///
    /// - Parameters:
    ///   - path: The path of the redirect.
    ///   - timeout: The time after which the port is closed.
    ///   - eventLoops: The event loops of the port and its connections.
    ///   - accepts: Returns true for the query of the expected redirect. It is called on an event loop.
    /// - Returns: The listener, and its port, which the system has chosen.
    /// - Throws: An error of SwiftNIO if no port can be opened.
    package static func open(
        path: String,
        timeout: TimeAmount,
        on eventLoops: any EventLoopGroup,
        accepts: @escaping @Sendable (_ query: String) -> Bool
    ) async throws -> (listener: RedirectListener, port: Int) {
        let listener = RedirectListener(RedirectRule(path: path, accepts: accepts))
        let channel = try await ServerBootstrap(group: eventLoops)
            .serverChannelOption(.backlog, value: 16)
            .childChannelInitializer { [weak listener] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(RedirectHandler(listener))
                }
            }
            .bind(to: try SocketAddress(ipAddress: "127.0.0.1", port: 0))
            .get()
        listener.state.withLock { $0.channel = channel }
        channel.eventLoop.scheduleTask(in: timeout) { [weak listener] in
            listener?.finish(.failure(Fault.timedOut))
        }
        return (listener, channel.localAddress?.port ?? 0)
    }

    /// The query of the redirect, or the reason why it will not come; `nil` as long as the listener waits.
    package var outcome: Result<String, any Error>? {
        state.withLock { state in state.outcome ?? state.claimed.map { .success($0) } }
    }

    /// Waits for the redirect; a cancelled wait leaves the port open.
    ///
    /// - Returns: The query of the redirect.
    /// - Throws: ``Fault/timedOut``, or `CancellationError` when the task is cancelled.
    package func query() async throws -> String {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        let outcome = await Callers.wait { continuation in
            state.withLock { state -> Result<String, any Error>? in
                if let outcome = state.outcome {
                    return outcome
                }
                return state.waiters.park(id, continuation, ifCancelled: .failure(CancellationError()))
            }
        } onCancel: {
            state.withLock { $0.waiters.withdraw(id, with: .failure(CancellationError())) }
        }
        return try outcome.get()
    }

    /// Returns true for the first request that is taken, and only for this one.
    fileprivate func claim(_ query: String) -> Bool {
        state.withLock { state in
            guard state.claimed == nil, state.outcome == nil else {
                return false
            }
            state.claimed = query
            return true
        }
    }

    /// Ends the wait, once, and closes the port.
    fileprivate func finish(_ outcome: Result<String, any Error>) {
        let (wakeups, channel) = state.withLock { state -> ([Callers.Wakeup], (any Channel)?) in
            let first = state.outcome ?? outcome
            state.outcome = first
            return (state.waiters.withdrawAll(with: first), state.channel)
        }
        channel?.close(promise: nil)
        for wakeup in wakeups {
            wakeup.resume()
        }
    }
}

/// Decides whether a request is the redirect that a listener waits for.
struct RedirectRule: Sendable {
    enum Verdict: Equatable {
        /// The head of the request is not complete.
        case incomplete
        case taken(query: String)
        case refused(Refusal)
    }

    enum Refusal: String {
        case malformed = "400 Bad Request"
        case notFound = "404 Not Found"
        case otherMethod = "405 Method Not Allowed"
        case gone = "410 Gone"
        case tooLong = "431 Request Header Fields Too Large"
    }

    /// The most bytes of a head, which has the code and the cookies of other ports of this machine.
    private static let limit = 32_768

    let path: String
    let accepts: @Sendable (_ query: String) -> Bool

    func verdict(on received: some Collection<UInt8>, port: Int) -> Verdict {
        guard received.count <= Self.limit else {
            return .refused(.tooLong)
        }
        let bytes = Array(received)
        guard let end = bytes.firstRange(of: "\r\n\r\n".utf8) else {
            return .incomplete
        }
        let lines = bytes[..<end.lowerBound].split(separator: .lineFeed, omittingEmptySubsequences: false)
            .map { $0.last == .carriageReturn ? $0.dropLast() : $0 }
        guard lines.allSatisfy({ $0.allSatisfy(\.isFieldContent) }), let first = lines.first else {
            return .refused(.malformed)
        }
        let words = first.split(separator: .space, omittingEmptySubsequences: false)
        guard words.count == 3, words[2].starts(with: "HTTP/1.".utf8), words[1].allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else {
            return .refused(.malformed)
        }
        guard words[0].elementsEqual("GET".utf8) else {
            return .refused(.otherMethod)
        }
        let mark = words[1].firstIndex(of: UInt8(ascii: "?"))
        guard words[1][..<(mark ?? words[1].endIndex)].elementsEqual(path.utf8) else {
            return .refused(.notFound)
        }
        // A page at a name that leads here is not the browser's way back.
        guard Self.hosts(in: lines.dropFirst()) == ["127.0.0.1:\(port)"], let mark else {
            return .refused(.malformed)
        }
        let query = String(decoding: words[1][words[1].index(after: mark)...], as: UTF8.self)
        return accepts(query) ? .taken(query: query) : .refused(.malformed)
    }

    private static func hosts(in fields: some Sequence<ArraySlice<UInt8>>) -> [String] {
        fields.compactMap { field in
            guard let colon = field.firstIndex(of: UInt8(ascii: ":")),
                String(decoding: field[..<colon], as: UTF8.self).lowercased() == "host"
            else {
                return nil
            }
            let value = field[field.index(after: colon)...].filter { $0 != .space && $0 != .tab }
            return String(decoding: value, as: UTF8.self)
        }
    }
}

/// Responds to the one request of a connection, and closes it.
private final class RedirectHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The time that a connection has for its request.
    private static let timeLimit = TimeAmount.seconds(10)

    /// Fixed, so that nothing of the request gets into a page.
    private static let page = """
        <!doctype html><html lang="en"><meta charset="utf-8"><title>Login</title>\
        <p>The login has returned to the program. You may close this window.</p></html>
        """

    private weak let listener: RedirectListener?
    private var received = ByteBuffer()
    private var hasResponded = false

    init(_ listener: RedirectListener?) {
        self.listener = listener
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        channel.eventLoop.scheduleTask(in: Self.timeLimit) {
            channel.close(promise: nil)
        }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasResponded else {
            return
        }
        guard let listener else {
            return context.close(promise: nil)
        }
        var bytes = unwrapInboundIn(data)
        received.writeBuffer(&bytes)
        switch listener.rule.verdict(on: received.readableBytesView, port: context.localAddress?.port ?? 0) {
        case .incomplete:
            break
        case .refused(let refusal):
            respond(refusal.rawValue, context)
        case .taken(let query) where listener.claim(query):
            respond("200 OK", context, Self.page) { listener.finish(.success(query)) }
        case .taken:
            respond(RedirectRule.Refusal.gone.rawValue, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// Sends a response; `then` is called once it has left, as the program may end then.
    private func respond(
        _ status: String,
        _ context: ChannelHandlerContext,
        _ page: String = "",
        then: @escaping () -> Void = {}
    ) {
        hasResponded = true
        let lines = [
            "HTTP/1.1 \(status)", "Content-Type: text/html; charset=utf-8", "Content-Length: \(page.utf8.count)",
            "Cache-Control: no-store", "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
            // The address of the page has the code.
            "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff", "Connection: close", "", page,
        ]
        let text = lines.joined(separator: "\r\n")
        let sent = context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text))).assumeIsolated()
        sent.whenComplete { _ in
            then()
            context.close(promise: nil)
        }
    }
}
