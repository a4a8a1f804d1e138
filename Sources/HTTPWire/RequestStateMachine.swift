// SPDX-License-Identifier: MIT

/// Decides which part of a request is sent when: no lock, clock or I/O.
///
/// The head is sent at once. The body follows as fast as the connection takes it, and may wait for the server's consent
/// before (RFC 9110, section 10.1.1).
struct RequestStateMachine {
    /// The number of bytes of a long body that are passed to the connection at once.
    static let pieceSize = 256 << 10

    /// The next thing to do once the head is passed on.
    enum Step: Equatable {
        /// Nothing: all of the request is passed on.
        case end
        /// Wait for consent, for a while.
        case awaitConsent
        /// Pass on the body, which is in memory, in pieces.
        case sendPieces
        /// Let the source of the body begin.
        case startStream
    }

    private enum Phase {
        case idle
        case awaitingConsent(then: Step)
        /// The bytes of the body that are not passed on.
        case sending(Range<Int>)
        /// The bytes of the body that must come; `nil` if their number is not known.
        case streaming(remaining: Int64?)
        case sent
        /// The response came instead of consent.
        case refused
    }

    private var phase = Phase.idle
    private var bodyCount = 0
    private var announced: Int64?

    /// Takes a request, whose head is passed on.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - count: The bytes of its body in memory that are not passed on; `nil` if a short one went with the head.
    /// - Returns: The next thing to do.
    mutating func begin(_ request: WireRequest, bodyCount count: Int? = nil) -> Step {
        bodyCount = count ?? request.body.count
        announced = request.stream?.length
        let step: Step = request.stream != nil ? .startStream : bodyCount > 0 ? .sendPieces : .end
        if request.expectsContinue, step != .end {
            phase = .awaitingConsent(then: step)
            return .awaitConsent
        }
        return go(to: step)
    }

    private mutating func go(to step: Step) -> Step {
        switch step {
        case .sendPieces: phase = .sending(0..<bodyCount)
        case .startStream: phase = .streaming(remaining: announced)
        case .end, .awaitConsent: phase = .sent
        }
        return step
    }

    /// Takes the server's consent, or the end of the wait for it.
    ///
    /// - Returns: The step that was waited with; `nil` if none was.
    mutating func consent() -> Step? {
        guard case .awaitingConsent(let step) = phase else {
            return nil
        }
        return go(to: step)
    }

    /// Takes the final response, which is consent no more.
    mutating func respond() {
        if case .awaitingConsent = phase {
            phase = .refused
        }
    }

    /// Returns the place of the next piece of a body in memory; `nil` if there is none to send now.
    mutating func nextPiece(limit: Int = Self.pieceSize) -> Range<Int>? {
        guard case .sending(let rest) = phase else {
            return nil
        }
        let piece = rest.prefix(limit)
        phase = piece.upperBound < rest.upperBound ? .sending(piece.upperBound..<rest.upperBound) : .sent
        return piece
    }

    /// Takes a chunk of a stream.
    ///
    /// - Throws: ``WireFault/invalidRequest(_:)`` if it exceeds what the head announced.
    mutating func write(_ count: Int) throws(WireFault) {
        guard case .streaming(let remaining) = phase else {
            throw .invalidRequest("its body is longer than its length, which was sent before it")
        }
        guard let remaining else {
            return
        }
        guard count <= remaining else {
            throw .invalidRequest("its body is longer than announced")
        }
        phase = .streaming(remaining: remaining - Int64(count))
    }

    /// Takes the end of a stream.
    ///
    /// - Throws: ``WireFault/invalidRequest(_:)`` if bytes are missing that the head announced.
    mutating func end() throws(WireFault) {
        guard case .streaming(let remaining) = phase else {
            return
        }
        guard (remaining ?? 0) == 0 else {
            throw .invalidRequest("its body is shorter than announced")
        }
        phase = .sent
    }

    /// Takes the end of the exchange.
    mutating func reset() {
        phase = .idle
    }

    /// A Boolean value that is true if a part of the body has not been passed on.
    var isUnfinished: Bool {
        switch phase {
        case .idle, .sent: false
        case .awaitingConsent, .sending, .streaming, .refused: true
        }
    }

    /// A Boolean value that is true if a body is on its way, and a part of it has not been passed on.
    var isSending: Bool {
        switch phase {
        case .sending, .streaming: true
        case .idle, .awaitingConsent, .sent, .refused: false
        }
    }
}
