// SPDX-License-Identifier: MIT

import NIOCore
import NIOHPACK

/// Responses as they come.
extension HTTP2StateMachine {
    /// Takes a part of a block of fields.
    mutating func receive(
        _ part: Block,
        isWhole: Bool,
        _ now: NIODeadline,
        _ events: inout [Event]
    ) throws(HTTP2Defect) {
        try checkKnown(part.stream)
        guard part.bytes.readableBytes <= limits.headBytes, part.frames <= Self.blockFrames else {
            throw .blockTooLarge
        }
        block = isWhole ? nil : part
        guard isWhole else {
            return
        }
        var bytes = part.bytes
        let fields: HPACKHeaders
        do {
            // Also for a stream that nobody waits for any more: the table must stay the same on both sides.
            fields = try decoder.decodeHeaders(from: &bytes)
        } catch is NIOHPACKErrors.MaxHeaderListSizeViolation {
            throw .blockTooLarge
        } catch {
            throw .compression
        }
        guard var state = streams[part.stream], state.isResponseOpen else {
            try countIdle(now)
            return refuse(part.stream, &events)
        }
        let read: HTTP2Fields
        do throws(ResponseDefect) {
            read = try HTTP2Fields(fields, isTrailer: state.hasHead, limits)
            try check(read, &state, endsStream: part.endsStream)
        } catch {
            return fail(part.stream, .malformed(error), &events)
        }
        streams[part.stream] = state
        if let head = read.head {
            if head.status < 200 {
                try countIdle(now)
                events.append(.interim(stream: part.stream, head))
                return
            }
            events.append(.head(stream: part.stream, read))
        }
        noteUse()
        if part.endsStream {
            finish(part.stream, &events)
        }
    }

    /// Checks fields against what came before them on their stream.
    private func check(_ fields: HTTP2Fields, _ state: inout Stream, endsStream: Bool) throws(ResponseDefect) {
        guard let head = fields.head else {
            guard endsStream else {
                throw .order
            }
            return
        }
        if head.status < 200 {
            guard !endsStream else {
                throw .order
            }
            state.interimCount += 1
            guard state.interimCount <= limits.interimCount else {
                throw .tooManyInterimResponses
            }
            return
        }
        state.hasHead = true
        let hasNoBody = state.isHead || head.status == 204 || head.status == 304
        state.remaining = hasNoBody ? 0 : fields.contentLength
    }

    /// Ends a stream on which the server goes on behind the end of its response, if the request is still being sent.
    ///
    /// On any other stream that has ended, what comes may have been on its way when it was reset (section 5.1).
    private mutating func refuse(_ stream: Int, _ events: inout [Event]) {
        if streams[stream] != nil {
            reset(stream, .streamClosed)
            events.append(.fault(stream: stream, .reset(.streamClosed)))
        }
    }

    private mutating func finish(_ stream: Int, _ events: inout [Event]) {
        guard var state = streams[stream] else {
            return
        }
        guard state.remaining ?? 0 == 0 else {
            return fail(stream, .malformed(.bodyLength), &events)
        }
        state.isResponseOpen = false
        streams[stream] = state.isRequestOpen ? state : nil
        events.append(.end(stream: stream))
    }

    // MARK: - Bodies

    /// Takes bytes of a body.
    mutating func receive(
        _ bytes: ByteBuffer,
        size: Int,
        on stream: Int,
        _ endsStream: Bool,
        _ now: NIODeadline,
        _ events: inout [Event]
    ) throws(HTTP2Defect) {
        try checkKnown(stream)
        receiveWindow -= size
        guard receiveWindow >= 0 else {
            throw .flowControl
        }
        // The windows of the streams bound what is kept, so that this one need not.
        unreturned += size
        if unreturned >= Self.windows.connection / 2 {
            output.writeWindowUpdate(stream: 0, increment: unreturned)
            receiveWindow += unreturned
            unreturned = 0
        }
        guard var state = streams[stream], state.isResponseOpen else {
            try countIdle(now, unless: size > 0)
            lateWindow -= size
            guard lateWindow >= 0 else {
                throw .closedStream
            }
            return refuse(stream, &events)
        }
        try countIdle(now, unless: bytes.readableBytes > 0 || endsStream)
        state.receiveWindow -= size
        guard state.receiveWindow >= 0 else {
            throw .flowControl
        }
        guard state.hasHead else {
            return fail(stream, .malformed(.order), &events)
        }
        if let remaining = state.remaining {
            guard bytes.readableBytes <= remaining else {
                return fail(stream, .malformed(.bodyLength), &events)
            }
            state.remaining = remaining - bytes.readableBytes
        }
        streams[stream] = state
        returnRoom(size - bytes.readableBytes, on: stream)
        if bytes.readableBytes > 0 {
            events.append(.body(stream: stream, bytes))
        }
        if endsStream {
            finish(stream, &events)
        }
    }
}
