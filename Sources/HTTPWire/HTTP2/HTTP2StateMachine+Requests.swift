// SPDX-License-Identifier: MIT

import HTTPTypes
import NIOCore
import NIOHPACK

/// Requests, and all else that a client sends.
extension HTTP2StateMachine {
    /// Returns true for a field that only means something for one connection of HTTP/1.1 (RFC 9113, section 8.2.2).
    static func isConnectionField(_ name: String) -> Bool {
        switch name {
        case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade": true
        default: false
        }
    }

    /// Begins a stream with the head of a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - hasBody: True if a body follows.
    /// - Returns: The stream.
    /// - Throws: ``WireFault/invalidRequest(_:)`` if the fields cannot be compressed.
    package mutating func start(_ request: WireRequest, hasBody: Bool) throws(WireFault) -> Int {
        guard request.parts.method != "CONNECT" else {
            throw .invalidRequest("its method asks for a tunnel, which is not made over HTTP/2")
        }
        if headListLimit < .max {
            // Before anything is compressed, which would change the table.
            let size = Self.listSize(of: request.parts)
            guard size <= headListLimit else {
                throw .invalidRequest("its header has \(size) bytes, and the server takes \(headListLimit)")
            }
        }
        let block: ByteBuffer
        do {
            block = try compress(request)
        } catch {
            throw .invalidRequest("its fields cannot be compressed: \(error)")
        }
        let stream = nextStream
        nextStream += 2
        streams[stream] = Stream(isHead: request.isHead, sendWindow: initialSendWindow, isRequestOpen: hasBody)
        output.writeFields(block, stream: stream, frameSize: frameSize, endsStream: !hasBody)
        noteUse()
        if nextStream > Self.largestStream {
            isGoingAway = true
        }
        return stream
    }

    /// Returns the size of the fields that are sent, or a little more: each counts 32 bytes beside its name and value.
    private static func listSize(of request: WireRequest.Parts) -> Int {
        let pseudo = [":method:scheme:authority:path", "https", request.method, request.authority, request.target]
        let size = pseudo.reduce(4 * 32) { $0 + $1.utf8.count }
        return request.fields.reduce(size) { size, field in
            let count = unsafe field.withUnsafeBytesOfValue { $0.count }
            return size + 32 + field.name.canonicalName.utf8.count + count
        }
    }

    private mutating func compress(_ request: WireRequest) throws -> ByteBuffer {
        let parts = request.parts
        try encoder.beginEncoding(allocator: ByteBufferAllocator())
        try encoder.append(header: ":method", value: parts.method)
        try encoder.append(header: ":scheme", value: isSecure ? "https" : "http")
        try encoder.append(header: ":authority", value: parts.authority)
        // Paths differ from request to request, and would only push out what repeats.
        try encoder.appendNonIndexed(header: ":path", value: parts.target)
        var others: [(name: String, value: [UInt8])] = []
        for field in parts.fields {
            let name = field.name.canonicalName
            guard !Self.isConnectionField(name), !request.connectionOptions.contains(name) else {
                continue
            }
            let value = field.value
            switch name {
            case "host", "content-length":
                continue
            case "te" where value.lowercased() != "trailers":
                continue
            case "expect" where !request.expectsContinue && value.lowercased() == "100-continue":
                continue
            case _ where unsafe !field.withUnsafeBytesOfValue { unsafe $0.elementsEqual(value.utf8) }:
                others.append((name, unsafe field.withUnsafeBytesOfValue { unsafe Array($0) }))
            case "authorization", "proxy-authorization", "cookie":
                // Never kept in a table that others' requests are compressed with (RFC 7541, section 7.1.3).
                try encoder.appendNeverIndexed(header: name, value: value)
            default:
                try encoder.append(header: name, value: value)
            }
        }
        if let acceptEncoding = parts.acceptEncoding {
            try encoder.append(header: "accept-encoding", value: acceptEncoding)
        }
        if let length = parts.contentLength {
            try encoder.appendNonIndexed(header: "content-length", value: String(length))
        }
        var block = try encoder.endEncoding()
        for (name, value) in others {
            block.writeLiteralField(Array(name.utf8), value)
        }
        return block
    }

    /// Returns how many bytes of a body may be sent now, in one frame.
    func room(of stream: Int) -> Int {
        guard let state = streams[stream], state.isRequestOpen else {
            return 0
        }
        return max(0, min(state.sendWindow, sendWindow, frameSize))
    }

    /// Sends bytes of a body, at most as many as there is room for.
    mutating func send(_ bytes: ByteBuffer, on stream: Int, isLast: Bool) {
        guard var state = streams[stream], state.isRequestOpen else {
            return
        }
        let size = bytes.readableBytes
        state.sendWindow -= size
        sendWindow -= size
        state.isRequestOpen = !isLast
        streams[stream] = state.isRequestOpen || state.isResponseOpen ? state : nil
        output.writeFrameHead(.data, isLast ? .endsStream : [], stream: stream, size: size)
        output.writeImmutableBuffer(bytes)
        noteUse()
    }

    /// Gives the server room for bytes of a body that were taken.
    mutating func returnRoom(_ count: Int, on stream: Int) {
        guard var state = streams[stream], state.isResponseOpen else {
            return
        }
        state.unreturned += count
        if state.unreturned >= Self.windows.stream / 2 {
            output.writeWindowUpdate(stream: stream, increment: state.unreturned)
            state.receiveWindow += state.unreturned
            state.unreturned = 0
        }
        streams[stream] = state
    }

    /// Ends a stream; what still comes on it is dropped.
    mutating func reset(_ stream: Int, _ code: HTTP2Reason) {
        guard let state = streams.removeValue(forKey: stream) else {
            return
        }
        output.writeReset(stream: stream, code)
        if state.isResponseOpen {
            // What is on its way may still come (RFC 9113, section 5.1).
            lateWindow += state.receiveWindow
        }
    }

    /// Asks the server for a sign of life.
    mutating func ping() {
        awaitsPing = true
        output.writePing(0, isReply: false)
    }

    /// Says why the connection is closed.
    mutating func goAway(_ code: HTTP2Reason) {
        isGoingAway = true
        output.writeGoAway(lastStream: 0, code)
    }
}
