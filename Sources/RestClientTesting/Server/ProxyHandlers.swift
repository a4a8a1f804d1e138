// SPDX-License-Identifier: MIT

import NIOCore
import NIOHTTP1
import RestClient
import RestEssentials

/// Passes the bytes of one connection to another one, on the same event loop.
final class ProxyRelay: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let partner: any Channel

    init(to partner: any Channel) {
        self.partner = partner
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        partner.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        partner.close(promise: nil)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}

/// A proxy of HTTP.
final class HTTPProxyHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = ByteBuffer

    private let proxy: LoopbackProxy
    private let decoder: ByteToMessageHandler<HTTPRequestDecoder>
    private var server: (authority: String, channel: any Channel)?
    /// The bytes that wait for a connection to the server.
    private var waiting = ByteBuffer()
    private var isChunked = false
    private var isRefused = false

    init(_ proxy: LoopbackProxy, _ decoder: ByteToMessageHandler<HTTPRequestDecoder>) {
        self.proxy = proxy
        self.decoder = decoder
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else {
            return
        }
        switch unwrapInboundIn(data) {
        case .head(let head):
            proxy.note("\(head.method.rawValue) \(head.uri)")
            take(head, context)
        case .body(let bytes):
            forward(isChunked ? Self.chunk(bytes) : bytes)
        case .end:
            if isChunked {
                forward(ByteBuffer(string: "0\r\n\r\n"))
            }
        }
    }

    private func take(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        if case .refusing(let status) = proxy.mode {
            return refuse(status, context)
        }
        if let login = proxy.login {
            let expected = "Basic " + Data("\(login.user):\(login.password)".utf8).base64EncodedString()
            guard head.headers["Proxy-Authorization"] == [expected] else {
                return refuse(407, context)
            }
        }
        if head.method == .CONNECT {
            let (host, port) = Self.place(head.uri[...], usual: 443)
            return proxy.connect(to: host, port, on: context.eventLoop).assumeIsolated()
                .whenComplete { result in
                    switch result {
                    case .success(let channel): self.tunnel(to: channel, context)
                    case .failure: self.refuse(502, context)
                    }
                }
        }
        guard head.uri.hasPrefix("http://") else {
            return refuse(400, context)
        }
        let rest = head.uri.dropFirst("http://".count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        isChunked = head.headers["Transfer-Encoding"].contains("chunked")
        forward(Self.message(head, target: rest[authority.endIndex...]))
        if server?.authority != String(authority) {
            connect(to: authority, context)
        }
    }

    /// Returns the head of a request in origin form, without what is for the proxy.
    private static func message(_ head: HTTPRequestHead, target: Substring) -> ByteBuffer {
        var text = "\(head.method.rawValue) \(target.hasPrefix("/") ? "" : "/")\(target) HTTP/1.1\r\n"
        for (name, value) in head.headers where !name.lowercased().hasPrefix("proxy-") {
            text += "\(name): \(value)\r\n"
        }
        return ByteBuffer(string: text + "\r\n")
    }

    private static func chunk(_ bytes: ByteBuffer) -> ByteBuffer {
        var chunk = ByteBuffer(string: String(bytes.readableBytes, radix: 16) + "\r\n")
        chunk.writeImmutableBuffer(bytes)
        chunk.writeString("\r\n")
        return chunk
    }

    private static func place(_ authority: Substring, usual: Int) -> (host: String, port: Int) {
        guard let colon = authority.lastIndex(of: ":"), let port = Int(authority[authority.index(after: colon)...])
        else {
            return (String(authority), usual)
        }
        return (String(authority[..<colon]), port)
    }

    // MARK: - Forwarding

    private func connect(to authority: Substring, _ context: ChannelHandlerContext) {
        server?.channel.close(promise: nil)
        server = nil
        let (host, port) = Self.place(authority, usual: 80)
        proxy.connect(to: host, port, on: context.eventLoop).assumeIsolated()
            .whenComplete { result in
                switch result {
                case .success(let channel):
                    do {
                        try channel.pipeline.syncOperations.addHandler(ProxyRelay(to: context.channel))
                    } catch {
                        return context.close(promise: nil)
                    }
                    self.server = (String(authority), channel)
                    self.forward(ByteBuffer())
                case .failure:
                    self.refuse(502, context)
                }
            }
    }

    private func forward(_ bytes: ByteBuffer) {
        waiting.writeImmutableBuffer(bytes)
        if let server, waiting.readableBytes > 0 {
            server.channel.writeAndFlush(waiting, promise: nil)
            waiting = ByteBuffer()
        }
    }

    // MARK: - Tunnels

    private func tunnel(to channel: any Channel, _ context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        do {
            try channel.pipeline.syncOperations.addHandler(ProxyRelay(to: context.channel))
            try pipeline.addHandler(ProxyRelay(to: channel), position: .after(self))
        } catch {
            return context.close(promise: nil)
        }
        context.writeAndFlush(
            wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 200 Connection established\r\n\r\n")),
            promise: nil
        )
        pipeline.removeHandler(context: context, promise: nil)
        pipeline.removeHandler(decoder, promise: nil)
    }

    // MARK: - Ends

    private func refuse(_ status: Int, _ context: ChannelHandlerContext) {
        isRefused = true
        let body = "the proxy refuses"
        var text = "HTTP/1.1 \(status) Refused\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n"
        if status == 407 {
            text += "Proxy-Authenticate: Basic realm=\"loopback\"\r\n"
        }
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text + "\r\n" + body)))
            .whenComplete { _ in
                channel.close(promise: nil)
            }
    }

    func channelInactive(context: ChannelHandlerContext) {
        server?.channel.close(promise: nil)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}

/// A proxy of SOCKS 5 (RFC 1928, RFC 1929).
final class SOCKSProxyHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Step {
        case greeting, password, request, connecting
    }

    private let proxy: LoopbackProxy
    private var step = Step.greeting
    private var bytes = ByteBuffer()

    init(_ proxy: LoopbackProxy) {
        self.proxy = proxy
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        bytes.writeImmutableBuffer(unwrapInboundIn(data))
        while let reply = next(context) {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: reply)), promise: nil)
        }
    }

    /// Returns the reply to the next message; `nil` if it has not come.
    private func next(_ context: ChannelHandlerContext) -> [UInt8]? {
        switch step {
        case .greeting:
            guard let count = byte(1), let message = read(2 + count) else {
                return nil
            }
            let method: UInt8 = proxy.login == nil ? 0 : 2
            guard message.dropFirst(2).contains(method) else {
                return [5, 0xFF]
            }
            step = proxy.login == nil ? .request : .password
            return [5, method]
        case .password:
            guard let count = byte(1), let last = byte(2 + count), let message = read(3 + count + last) else {
                return nil
            }
            let user = String(decoding: message[2..<2 + count], as: UTF8.self)
            let password = String(decoding: message[(3 + count)...], as: UTF8.self)
            step = .request
            return [1, user == proxy.login?.user && password == proxy.login?.password ? 0 : 1]
        case .request:
            return request(context)
        case .connecting:
            return nil
        }
    }

    private func request(_ context: ChannelHandlerContext) -> [UInt8]? {
        guard let kind = byte(3), let first = byte(4) else {
            return nil
        }
        let length = kind == 1 ? 4 : kind == 4 ? 16 : 1 + first
        guard let message = read(4 + length + 2) else {
            return nil
        }
        let address = message[4..<4 + length]
        let host =
            kind == 3
            ? String(decoding: address.dropFirst(), as: UTF8.self)
            : (try? SocketAddress(packedIPAddress: ByteBuffer(bytes: address), port: 0))?.ipAddress ?? ""
        let port = Int(message[4 + length]) << 8 | Int(message[5 + length])
        proxy.note("SOCKS5 \(host):\(port)")
        step = .connecting
        if case .refusingSOCKS(let code) = proxy.mode {
            return [5, code, 0, 1, 0, 0, 0, 0, 0, 0]
        }
        proxy.connect(to: host, port, on: context.eventLoop).assumeIsolated()
            .whenComplete { result in
                switch result {
                case .success(let channel): self.tunnel(to: channel, context)
                case .failure: self.reply(4, context)
                }
            }
        return nil
    }

    private func tunnel(to channel: any Channel, _ context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        do {
            try channel.pipeline.syncOperations.addHandler(ProxyRelay(to: context.channel))
            try pipeline.addHandler(ProxyRelay(to: channel), position: .after(self))
        } catch {
            return context.close(promise: nil)
        }
        reply(0, context)
        pipeline.removeHandler(context: context, promise: nil)
    }

    private func reply(_ code: UInt8, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: [5, code, 0, 1, 0, 0, 0, 0, 0, 0])), promise: nil)
    }

    private func byte(_ place: Int) -> Int? {
        bytes.getInteger(at: bytes.readerIndex + place, as: UInt8.self).map { Int($0) }
    }

    private func read(_ count: Int) -> [UInt8]? {
        bytes.readBytes(length: count)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
