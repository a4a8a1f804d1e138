// SPDX-License-Identifier: MIT

import NIOCore
import RestClient
import RestEssentials
import SharedStore
import Synchronization

/// Reads the requests of a connection or stream, one after another, and sends the handlers' responses.
struct ExchangeDriver: Sendable {
    private typealias Inbound = NIOAsyncChannelInboundStream<RequestPart>.AsyncIterator
    private typealias Outbound = NIOAsyncChannelOutboundWriter<ResponsePart>

    let exchange: ExchangeChannel
    let core: ServerCore

    func run() async {
        // An error here is the end of the connection, which the codec has logged.
        try? await exchange.channel.executeThenClose { inbound, outbound in
            var parts = inbound.makeAsyncIterator()
            while case .head(let head)? = try await parts.next(isolation: #isolation) {
                guard try await serve(head, &parts, outbound) else {
                    return
                }
            }
        }
    }

    /// Serves a request; returns true if another one may follow.
    private func serve(_ head: LoopbackRequest, _ parts: inout Inbound, _ outbound: Outbound) async throws -> Bool {
        let route = core.router.withLock { router in router.route(for: head) }
        var request = head
        request.parameters = route.parameters
        if route.awaitsBody {
            if head.headers.hasToken("100-continue", in: "expect") {
                try await outbound.write(.informational(.init(status: 100)))
            }
            guard try await readBody(of: &request, from: &parts) else {
                return false
            }
        }
        let received = request
        core.log.update { log in log.receive(received) }

        let ending = try await unlessClientLeaves {
            try await respond(to: received, with: route.handler, outbound)
        }
        if !route.awaitsBody, case .complete = ending {
            guard try await dismissBody(of: &request, from: &parts, outbound) else {
                return false
            }
        }
        if case .complete = ending, head.version != .http2 {
            return true
        }
        try await exchange.closed.wait()
        return false
    }

    /// Returns true if the body was complete.
    private func readBody(of request: inout LoopbackRequest, from parts: inout Inbound) async throws -> Bool {
        while let part = try await parts.next(isolation: #isolation) {
            switch part {
            case .head: return false
            case .body(let bytes): request.body.append(contentsOf: bytes.readableBytesView)
            case .end(let trailers):
                request.trailers = trailers
                return true
            }
        }
        return false
    }

    /// Discards an unread body; returns true if another request may follow.
    ///
    /// HTTP/1.1 has to read it. HTTP/2 asks the client to stop by resetting the stream with NO_ERROR
    /// (https://www.rfc-editor.org/rfc/rfc9113#section-8.1-7).
    private func dismissBody(
        of request: inout LoopbackRequest,
        from parts: inout Inbound,
        _ outbound: Outbound
    ) async throws -> Bool {
        guard request.version == .http2 else {
            return try await readBody(of: &request, from: &parts)
        }
        try await outbound.write(.finish(.resetStream(code: 0)))
        return true
    }

    private func unlessClientLeaves(
        _ work: @escaping @Sendable () async throws -> LoopbackResponse.Ending
    ) async throws -> LoopbackResponse.Ending {
        try await withThrowingTaskGroup(of: LoopbackResponse.Ending.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try await exchange.closed.wait()
                throw CancellationError()
            }
            defer { group.cancelAll() }
            return try await group.next() ?? .close
        }
    }

    private func respond(
        to request: LoopbackRequest,
        with handler: LoopbackServer.Handler,
        _ outbound: Outbound
    ) async throws -> LoopbackResponse.Ending {
        let response: LoopbackResponse
        do {
            response = try await handler(request)
        } catch {
            try logFailure(error, of: request)
            response = .text("The handler threw \(error)\n", status: 500)
        }
        for informational in response.informational {
            try await outbound.write(.informational(informational))
        }
        try await response.gate?.wait()

        let ending: LoopbackResponse.Ending
        switch response.opening {
        case .nothing:
            ending = response.ending
        case .raw(let bytes):
            try await outbound.write(.raw(ByteBuffer(bytes: bytes)))
            if case .complete = response.ending {
                try await outbound.write(.end(trailers: [:]))
            }
            ending = response.ending
        case .head:
            ending = try await send(response, to: request, outbound)
        }
        try await outbound.write(.finish(ending))
        return ending
    }

    /// Sends head and body, and the end unless the response is to be cut off.
    private func send(
        _ response: LoopbackResponse,
        to request: LoopbackRequest,
        _ outbound: Outbound
    ) async throws -> LoopbackResponse.Ending {
        let response = try response.withBodyEncoded()
        let plan = ResponsePlan(response, to: request)
        var parts: [ResponsePart] = [.head(plan.head)]
        if plan.sendsBody {
            switch response.body {
            case .empty:
                break
            case .bytes(let bytes):
                parts.append(.body(ByteBuffer(bytes: bytes)))
            case .stream(let write):
                try await outbound.write(contentsOf: parts)
                parts = []
                do {
                    try await stream(write, encoding: response.contentEncoding, outbound)
                } catch {
                    try logFailure(error, of: request)
                    // 2 is HTTP/2's INTERNAL_ERROR.
                    return request.version == .http2 ? .resetStream(code: 2) : .close
                }
            }
        }
        if plan.sendsEnd {
            parts.append(.end(trailers: response.trailers))
        }
        try await outbound.write(contentsOf: parts)
        return plan.ending
    }

    private func stream(
        _ write: @Sendable (LoopbackBodyWriter) async throws -> Void,
        encoding: LoopbackContentEncoding?,
        _ outbound: Outbound
    ) async throws {
        let deflater = Mutex(try encoding.map { encoding in try Deflater(format: encoding.format) })
        // Each piece is flushed, so that it can be decompressed as soon as it arrives.
        let send: @Sendable ([UInt8], Bool) async throws -> Void = { bytes, isLast in
            let output = try deflater.withLock { deflater in
                guard let piece = try deflater?.update(Data(bytes)) else {
                    return bytes
                }
                let rest = try isLast ? deflater?.finish() : deflater?.flush()
                return Array(piece + (rest ?? Data()))
            }
            if !output.isEmpty {
                try await outbound.write(.body(ByteBuffer(bytes: output)))
            }
        }
        try await write(LoopbackBodyWriter { bytes in if !bytes.isEmpty { try await send(bytes, false) } })
        try await send([], true)
    }

    private func logFailure(_ error: any Error, of request: LoopbackRequest) throws {
        guard !Task.isCancelled else {
            throw error
        }
        let reason = String(describing: error)
        core.log.note(.handlerFailed(request: request.number, reason: reason))
    }
}

extension LoopbackResponse {
    /// Returns the response with the encoding's label and, unless the body is streamed, with the body encoded.
    fileprivate func withBodyEncoded() throws -> Self {
        guard let contentEncoding else {
            return self
        }
        var response = self
        if response.headers["content-encoding"] == nil {
            response.headers.append("Content-Encoding", contentEncoding.label)
        }
        if case .bytes(let bytes) = body {
            response.body = .bytes(try contentEncoding.encode(bytes))
        }
        return response
    }
}

struct ResponsePlan {
    let head: ResponseHead
    /// True if the body is sent: a response to HEAD announces a body without sending it.
    let sendsBody: Bool
    /// True if the end of the response is sent; false if the response is to be cut off.
    let sendsEnd: Bool
    let ending: LoopbackResponse.Ending

    /// Plans a response, with its body already compressed.
    init(_ response: LoopbackResponse, to request: LoopbackRequest) {
        let count = response.body.count
        let statusAllowsBody = response.status >= 200 && response.status != 204 && response.status != 304
        sendsBody = statusAllowsBody && request.method != .head
        var headers = response.headers
        var closes = request.asksToClose || headers.hasToken("close", in: "connection")
        if let claimed = headers["content-length"] {
            let isTrue = count.map { count in claimed == String(count) } ?? true
            closes = closes || !(isTrue || request.method == .head)
        } else if headers["transfer-encoding"] == nil, statusAllowsBody {
            switch (count, request.version) {
            case (0?, .http2): break
            case (let count?, _): headers.append("Content-Length", String(count))
            case (nil, .http11): headers.append("Transfer-Encoding", "chunked")
            case (nil, _): closes = true
            }
        }
        if request.version == .http2 {
            headers = headers.withoutConnectionHeaders
            closes = false
        } else if headers["connection"] == nil, closes || request.version == .http10 {
            headers.append("Connection", closes ? "close" : "keep-alive")
        }
        if case .complete = response.ending {
            sendsEnd = true
            ending = closes ? .close : .complete
        } else {
            sendsEnd = false
            ending = response.ending
        }
        let hasBody = sendsBody && count != 0
        head = ResponseHead(
            status: response.status,
            reason: response.reason,
            headers: headers,
            isChunked: sendsBody && headers.hasToken("chunked", in: "transfer-encoding"),
            isWholeResponse: sendsEnd && !hasBody && response.trailers.lines.isEmpty
        )
    }
}

extension LoopbackBody {
    fileprivate var count: Int? {
        switch self {
        case .empty: 0
        case .bytes(let bytes): bytes.count
        case .stream: nil
        }
    }
}

extension LoopbackRequest {
    fileprivate var asksToClose: Bool {
        version == .http10
            ? !headers.hasToken("keep-alive", in: "connection")
            : headers.hasToken("close", in: "connection")
    }
}

extension LoopbackHeaders {
    /// The lines that HTTP/2 allows; it replaces the others by frames.
    fileprivate var withoutConnectionHeaders: Self {
        let connectionHeaders = ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"]
        return Self(
            lines.filter { line in
                !connectionHeaders.contains { name in name.isSameToken(as: line.name) }
            }
        )
    }
}

/// The head of a response, with every header line that is sent.
struct ResponseHead: Hashable, Sendable {
    var status: Int
    var reason: String?
    var headers: LoopbackHeaders
    var isChunked: Bool
    /// True if no body follows, so that HTTP/2 ends the stream here.
    var isWholeResponse: Bool
}
