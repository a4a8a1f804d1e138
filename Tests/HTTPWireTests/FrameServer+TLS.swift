// SPDX-License-Identifier: MIT

import ConcurrencyTesting
import NIOCore
import NIOSSL
import NIOTLS
import RestEssentials

@testable import HTTPWire

/// A certificate for `localhost` and `127.0.0.1`, made with openssl, and its key.
enum TLSPair {
    private static let certificate = """
        MIIBmjCCAUGgAwIBAgIUDPTskkdePOICbkbIyIKlDHtMSC0wCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2\
        MTEyODE5MDQyMFoYDzIxMjYxMTA0MTkwNDIwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC\
        AATHCzvzGCC2TDSmCjMAliwo3O6P+i/+d0wVHF8iHqYVfHRyajdw//AThKB3EjnG2eM4lC1gOOx24kdzM6p8x+xRo28wbTAdBgNV\
        HQ4EFgQUsHlm8Kctn7JvIQKullthggp5MhkwHwYDVR0jBBgwFoAUsHlm8Kctn7JvIQKullthggp5MhkwDwYDVR0TAQH/BAUwAwEB\
        /zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZIzj0EAwIDRwAwRAIgDS/PBN33eL8CRurRczEj+SB8HL6BAPrIbyCC\
        4p+uHecCICugPwL4JVFBeUSdczMgIx/U0446Rmt2LgjwwctdNrXV
        """

    private static let privateKey = """
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgP7Li/keZBhLd7KXApOg+Wm5uZRjUXbcZkUBmBTZzf1ehRANCAATH\
        CzvzGCC2TDSmCjMAliwo3O6P+i/+d0wVHF8iHqYVfHRyajdw//AThKB3EjnG2eM4lC1gOOx24kdzM6p8x+xR
        """

    private static func bytes(_ text: String) -> [UInt8] {
        Data(base64Encoded: text).map { Array($0) } ?? []
    }

    /// Returns the certificate, for the trust of a client.
    static func root() throws -> NIOSSLCertificate {
        try NIOSSLCertificate(bytes: bytes(certificate), format: .der)
    }

    /// Returns what a server needs that speaks some protocols.
    static func context(_ protocols: [String]) throws -> NIOSSLContext {
        let key = try NIOSSLPrivateKey(bytes: bytes(privateKey), format: .der)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(try root())],
            privateKey: .privateKey(key)
        )
        configuration.applicationProtocols = protocols
        return try NIOSSLContext(configuration: configuration)
    }
}

extension FrameServer {
    /// Speaks what the handshake has chosen.
    final class Chooser: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let server: FrameServer

        init(_ server: FrameServer) {
            self.server = server
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            guard case .handshakeCompleted(let chosen) = event as? TLSUserEvent else {
                return context.fireUserInboundEventTriggered(event)
            }
            let handler: any ChannelHandler = chosen == "h2" ? Handler(server) : Lines(server)
            // It fails only once the connection has ended.
            try? context.pipeline.syncOperations.addHandler(handler)
        }
    }

    /// Speaks HTTP/1.1 with requests without bodies: each gets two bytes, once the gates of its steps are open.
    private final class Lines: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let server: FrameServer
        private let number: Int

        init(_ server: FrameServer) {
            self.server = server
            var number = 0
            server.change {
                $0.connectionCount += 1
                number = $0.connectionCount
            }
            self.number = number
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard String(buffer: unwrapInboundIn(data)).hasSuffix("\r\n\r\n") else {
                return
            }
            var gates: [Gate] = []
            server.change { state in
                let request = Request(
                    number: state.requests.count + 1,
                    connection: number,
                    stream: 0,
                    fields: [],
                    body: Data()
                )
                state.requests.append(request)
                gates = server.respond(request)
                    .compactMap { step in
                        if case .wait(let gate) = step { gate } else { nil }
                    }
            }
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            context.eventLoop
                .makeFutureWithTask { [gates] in
                    for gate in gates {
                        try? await gate.wait()
                    }
                }
                .whenComplete { _ in
                    let response = ByteBuffer(string: WireScene.fine)
                    bound.value.writeAndFlush(NIOAny(response), promise: nil)
                }
        }
    }
}
