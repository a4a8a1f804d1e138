// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOSSL
import RestEssentials

/// Rejects responses with a status below 100, for which AsyncHTTPClient would end the process, and those whose body has
/// transfer codings that nobody can follow; limits interim responses and passes them on with the final one; and reports
/// the end of a connection that was kept for the next request.
///
/// AsyncHTTPClient's state machine skips every head with a status below 200 as an informational one, and then traps
/// because a response ends without a head. A server must not be able to cause that.
///
/// On the way out, it sets the target of a request as it is written, see ``WrittenTarget``.
final class StatusGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private var hasRefused = false
    private var interim: [InterimResponse] = []
    private var interimCount = 0
    private let interimLimit: Int
    /// When the connection was ready; `nil` once an exchange has reported it.
    private var birth: ConnectionBirth?
    /// The guard of the connection of a stream; `nil` for HTTP/1.1.
    private let connection: HTTP2Guard?
    /// True if a response was read to its end, and no part of the next one.
    private var isKept = false

    init(birth: ConnectionBirth, interimLimit: Int, connection: HTTP2Guard? = nil) {
        self.birth = birth
        self.interimLimit = interimLimit
        self.connection = connection
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data), head.headers.contains(name: WrittenTarget.field) else {
            context.write(data, promise: promise)
            return
        }
        WrittenTarget.restore(&head)
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasRefused else {
            return
        }
        let part = unwrapInboundIn(data)
        if case .end = part {
            isKept = true
        }
        guard case .head(let head) = part else {
            context.fireChannelRead(data)
            return
        }
        isKept = false
        // HTTP/2 has frames, and SwiftNIO refuses its heads with a transfer coding.
        if connection == nil, let defect = FramingRule.defect(of: head) {
            refuse(RestClientError(.malformedResponse, defect), context)
            return
        }
        guard head.status.code < 200 || !interim.isEmpty || birth != nil else {
            context.fireChannelRead(data)
            return
        }
        switch head.status.code {
        case ..<100:
            refuse(HTTPParserError.invalidStatus, context)
        case 100, 102..<200:
            interimCount += 1
            guard interimCount <= interimLimit else {
                refuse(Self.tooManyInterim(interimLimit), context)
                return
            }
            interim = InterimLines.appending(head, to: interim)
            context.fireChannelRead(data)
        default:
            var marked = InterimLines.marked(head, with: interim)
            interim = []
            interimCount = 0
            if let birth {
                birth.mark(&marked)
                self.birth = nil
            }
            context.fireChannelRead(wrapInboundOut(.head(marked)))
        }
    }

    /// Ends the connection, as nobody can tell what follows on it.
    private func refuse(_ error: any Error, _ context: ChannelHandlerContext) {
        hasRefused = true
        context.fireErrorCaught(error)
        context.close(promise: nil)
    }

    private static func tooManyInterim(_ limit: Int) -> RestClientError {
        RestClientError(
            .malformedResponse,
            "the server sent more than \(limit) interim responses before the final one; "
                + "see interimResponseLimit of the transport's configuration"
        )
    }

    func channelInactive(context: ChannelHandlerContext) {
        if isKept {
            isKept = false
            context.fireErrorCaught(StaleConnection(underlying: nil))
        } else if let fault = connection?.fault {
            context.fireErrorCaught(fault)
        }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isCut = isKept && (error is IOError || error is ChannelError || error is NIOSSLError)
        isKept = isKept && !isCut
        if error is NIOHTTP2Errors.StreamClosed, let fault = connection?.fault {
            context.fireErrorCaught(fault)
        } else {
            context.fireErrorCaught(isCut ? StaleConnection(underlying: error) : error)
        }
    }
}

/// Decides which heads of HTTP/1.1 frame their body in a way that this library can follow: pure.
///
/// SwiftNIO reads a body with an unknown or ill-placed transfer coding up to the end of the connection, or removes only
/// one of its codings, and hands over bytes that are not the body.
enum FramingRule {
    private static let field = "transfer-encoding"

    /// Returns the defect of a head; `nil` if it has none.
    ///
    /// The only transfer coding that a client which asks for none may get is `chunked`, once (RFC 9112, section 7).
    static func defect(of head: HTTPResponseHead) -> String? {
        guard !head.headers.contains(where: { MarkRun.isExcessive($0.value) }) else {
            return "the value of a field has too many combining marks in a row"
        }
        // Only a look at the length is paid for by nearly all lines.
        guard head.headers.contains(where: { $0.name.utf8.count == field.utf8.count && isField($0.name) }) else {
            return nil
        }
        let codings = FieldList.elements(of: head.headers[field]).map { FieldList.token($0) }
        guard head.version.major > 1 || head.version == .http1_1 else {
            return "a response of HTTP/1.0 has a transfer coding, which that version does not know"
        }
        switch codings {
        case ["chunked"]:
            return nil
        case []:
            return "the response has an empty transfer coding"
        case _ where codings.dropLast().contains("chunked"):
            return "the response has the transfer codings '\(text(codings))', of which 'chunked' must be the last one"
        default:
            return "the response has the transfer codings '\(text(codings))', which the request did not ask for"
        }
    }

    private static func isField(_ name: String) -> Bool {
        name.lowercased() == field
    }

    private static func text(_ codings: [String]) -> String {
        String(codings.joined(separator: ", ").prefix(60))
    }
}

#endif
