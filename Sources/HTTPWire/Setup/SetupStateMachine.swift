// SPDX-License-Identifier: MIT

import NIOCore
import RestEssentials

/// Decides the steps by which a new connection gets past its proxy: no lock, clock or I/O.
///
/// ```text
/// connect ─▶ [TLS with the proxy] ─▶ CONNECT                              ─▶ TLS and ALPN with the origin ─▶ requests
///                                └─▶ greeting ─▶ [password] ─▶ request ─┘
/// ```
///
/// What comes behind the proxy's last reply is the origin's, and nothing before it is.
struct SetupStateMachine {
    /// The next thing to do.
    enum Action: Equatable {
        /// Set up TLS with the proxy, and tell by ``secured()``.
        case secure
        /// Send bytes, and wait for the reply.
        case send(ByteBuffer)
        /// Wait for more of the reply.
        case wait
        /// The connection leads to the origin, and so do the bytes that came behind the reply.
        case finish(rest: ByteBuffer)
    }

    /// The host that the proxy is to connect to, and its port.
    struct Destination: Equatable {
        let host: String
        let port: Int
    }

    private enum Step {
        case connecting, securing, tunnel, greeting, password, request, finished
    }

    private let proxy: WireProxy
    /// `nil` if the proxy gets whole requests, and no question beforehand.
    private let destination: Destination?
    private var step = Step.connecting
    private var parser: ResponseParser
    /// The reply of SOCKS so far.
    private var reply = ByteBuffer()

    /// Creates the steps.
    ///
    /// - Parameters:
    ///   - proxy: The proxy.
    ///   - destination: The host that it is to connect to; `nil` if it gets whole requests.
    ///   - limits: The limits of its reply.
    init(_ proxy: WireProxy, to destination: Destination?, limits: ResponseParser.Limits) {
        self.proxy = proxy
        self.destination = destination
        parser = ResponseParser(handover: .tunnel, limits: limits)
    }

    /// A Boolean value that is true while TLS with the proxy is set up.
    var isSecuring: Bool { step == .securing }

    // MARK: - Steps

    /// Takes the connection to the proxy.
    mutating func connected() throws(ProxyFault) -> Action {
        guard proxy.kind == .https else {
            return try begin()
        }
        step = .securing
        return .secure
    }

    /// Takes the end of the TLS handshake with the proxy.
    mutating func secured() throws(ProxyFault) -> Action {
        try begin()
    }

    private mutating func begin() throws(ProxyFault) -> Action {
        guard let destination else {
            return finish(ByteBuffer())
        }
        if proxy.speaksHTTP {
            step = .tunnel
            return .send(connect(to: destination))
        }
        step = .greeting
        // No authentication, and a user with a password if there is one.
        return .send(ByteBuffer(bytes: proxy.user == nil ? [5, 1, 0] : [5, 2, 0, 2]))
    }

    private mutating func finish(_ rest: ByteBuffer) -> Action {
        step = .finished
        return .finish(rest: rest)
    }

    /// Takes bytes of the proxy.
    mutating func receive(_ bytes: ByteBuffer) throws(ProxyFault) -> Action {
        switch step {
        case .tunnel:
            return try readHead(bytes)
        case .greeting, .password, .request:
            reply.writeImmutableBuffer(bytes)
            return try readReply()
        case .connecting, .securing, .finished:
            // Nobody has asked for anything.
            throw ProxyFault(proxy, proxy.speaksHTTP ? .notHTTP(.statusLine) : .notSOCKS)
        }
    }

    // MARK: - CONNECT

    private func connect(to destination: Destination) -> ByteBuffer {
        let host = destination.host.contains(":") ? "[\(destination.host)]" : destination.host
        let authority = "\(host):\(destination.port)"
        var head = "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n"
        if let authorization = proxy.authorization {
            head += "Proxy-Authorization: \(authorization)\r\n"
        }
        return ByteBuffer(string: head + "\r\n")
    }

    private mutating func readHead(_ bytes: ByteBuffer) throws(ProxyFault) -> Action {
        var offset = 0
        while true {
            let event: ResponseParser.Event
            do {
                event = try parser.next(bytes.readableBytesUInt8Span, &offset)
            } catch {
                throw ProxyFault(proxy, .notHTTP(error))
            }
            switch event {
            case .needsMore:
                return .wait
            case .interim:
                _ = parser.takeHead()
            case .handover:
                var rest = bytes
                rest.moveReaderIndex(forwardBy: offset)
                return finish(rest)
            case .head, .body, .end:
                let status = parser.takeHead()?.status ?? 0
                throw ProxyFault(proxy, status == 407 ? .unauthorized : .refused(status: status))
            }
        }
    }

    // MARK: - SOCKS 5

    private mutating func readReply() throws(ProxyFault) -> Action {
        if let version = reply.getInteger(at: reply.readerIndex, as: UInt8.self),
            version != (step == .password ? 1 : 5)
        {
            throw ProxyFault(proxy, .notSOCKS)
        }
        switch step {
        case .greeting:
            guard let method = try take(2)?.last else {
                return .wait
            }
            switch method {
            case 0:
                return try ask()
            case 2 where proxy.user != nil:
                step = .password
                return .send(credentials())
            case 2, 0xFF:
                throw ProxyFault(proxy, .unauthorized)
            default:
                throw ProxyFault(proxy, .notSOCKS)
            }
        case .password:
            guard let status = try take(2)?.last else {
                return .wait
            }
            guard status == 0 else {
                throw ProxyFault(proxy, .unauthorized)
            }
            return try ask()
        default:
            return try readConnection()
        }
    }

    /// Takes so many bytes of the reply, behind which no others may follow; `nil` if some are missing.
    private mutating func take(_ count: Int) throws(ProxyFault) -> [UInt8]? {
        guard reply.readableBytes <= count else {
            throw ProxyFault(proxy, .notSOCKS)
        }
        return reply.readBytes(length: count)
    }

    private func credentials() -> ByteBuffer {
        var bytes = ByteBuffer(bytes: [1])
        for text in [proxy.user ?? [], proxy.password] {
            // Longer ones are refused where the proxy is named.
            let part = text.prefix(255)
            bytes.writeInteger(UInt8(part.count))
            bytes.writeBytes(part)
        }
        return bytes
    }

    private mutating func ask() throws(ProxyFault) -> Action {
        guard let destination else {
            throw ProxyFault(proxy, .notSOCKS)
        }
        step = .request
        var bytes = ByteBuffer(bytes: [5, 1, 0])
        if let address = AddressText.bytes(destination.host) {
            bytes.writeInteger(UInt8(address.count == 4 ? 1 : 4))
            bytes.writeBytes(address)
        } else {
            let name = destination.host.utf8
            guard let count = UInt8(exactly: name.count), count > 0 else {
                throw ProxyFault(proxy, .nameTooLong)
            }
            bytes.writeBytes([3, count])
            bytes.writeBytes(name)
        }
        bytes.writeInteger(UInt16(truncatingIfNeeded: destination.port))
        return .send(bytes)
    }

    /// Reads the last reply, whose address means nothing here.
    private mutating func readConnection() throws(ProxyFault) -> Action {
        let start = reply.readerIndex
        if let code = reply.getInteger(at: start + 1, as: UInt8.self), code != 0 {
            throw ProxyFault(proxy, .socks(code: code))
        }
        guard let kind = reply.getInteger(at: start + 3, as: UInt8.self),
            let first = reply.getInteger(at: start + 4, as: UInt8.self)
        else {
            return .wait
        }
        let length: Int
        switch kind {
        case 1: length = 4
        case 3: length = 1 + Int(first)
        case 4: length = 16
        default: throw ProxyFault(proxy, .notSOCKS)
        }
        guard reply.readableBytes >= 4 + length + 2 else {
            return .wait
        }
        reply.moveReaderIndex(forwardBy: 4 + length + 2)
        return finish(reply)
    }
}
