// SPDX-License-Identifier: MIT

import RestEssentials

/// The time of one exchange on the wire, broken down by its transport.
///
/// The phases follow one another without gaps: connecting, blocked, sending, waiting, receiving.
public struct ExchangeTimings: Sendable, Hashable {
    // Whole nanoseconds: the value travels with every response, and a `Duration` is twice as large.
    private let connectingTime: Int64
    private let blockedTime: Int64
    private let sendingTime: Int64
    private let waitingTime: Int64
    private let receivingTime: Int64

    /// Creates the timings of an exchange.
    ///
    /// - Parameters:
    ///   - connecting: Looking up the host, connecting and the TLS handshake; `nil` if the connection was there
    ///   already.
    ///   - blocked: Waiting for a connection in use by others.
    ///   - sending: Writing the request.
    ///   - waiting: From the end of the request to the head of the response.
    ///   - receiving: From the head of the response to its end.
    public init(
        connecting: Duration? = nil,
        blocked: Duration = .zero,
        sending: Duration,
        waiting: Duration,
        receiving: Duration
    ) {
        connectingTime = connecting.map(\.wholeNanoseconds) ?? -1
        blockedTime = blocked.wholeNanoseconds
        sendingTime = sending.wholeNanoseconds
        waitingTime = waiting.wholeNanoseconds
        receivingTime = receiving.wholeNanoseconds
    }

    /// Creates timings from instants of one clock, in nanoseconds; those that are not known, or seem to lie before the
    /// previous one, take no time.
    init(began: UInt64, connected: UInt64?, headSent: UInt64, requestSent: UInt64, headReceived: UInt64, ended: UInt64)
    {
        var last = began
        func advance(to instant: UInt64) -> Int64 {
            defer { last = max(last, instant) }
            return Int64(clamping: instant > last ? instant - last : 0)
        }
        // A connection that was ready before is not this exchange's.
        connectingTime = connected.map { $0 > began ? advance(to: $0) : -1 } ?? -1
        blockedTime = advance(to: headSent)
        sendingTime = advance(to: requestSent)
        waitingTime = advance(to: headReceived)
        receivingTime = advance(to: ended)
    }

    /// Looking up the host, connecting and the TLS handshake; `nil` if the connection existed already.
    public var connecting: Duration? { connectingTime < 0 ? nil : .nanoseconds(connectingTime) }

    /// Waiting for a connection in use by others.
    public var blocked: Duration { .nanoseconds(blockedTime) }

    /// Writing the request.
    public var sending: Duration { .nanoseconds(sendingTime) }

    /// From the end of the request to the head of the response.
    public var waiting: Duration { .nanoseconds(waitingTime) }

    /// From the head of the response to its end.
    public var receiving: Duration { .nanoseconds(receivingTime) }

    /// The sum of all phases.
    public var total: Duration { (connecting ?? .zero) + blocked + sending + waiting + receiving }
}
