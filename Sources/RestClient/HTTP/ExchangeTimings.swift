// SPDX-License-Identifier: MIT

import RestEssentials

/// The time of one exchange on the wire, broken down by its transport.
///
/// The phases follow one another without gaps: connecting, blocked, sending, waiting, receiving.
public struct ExchangeTimings: Sendable, Hashable {
    // Stored as whole nanoseconds, because the value is part of every response and a `Duration` is twice as large.
    private let connectingTime: Int64
    private let blockedTime: Int64
    private let sendingTime: Int64
    private let waitingTime: Int64
    private let receivingTime: Int64

    /// Creates the timings of an exchange.
    ///
    /// - Parameters:
    ///   - connecting: The time for the host lookup, the connection and the TLS handshake; `nil` if an existing
    ///     connection was used.
    ///   - blocked: The time spent waiting for a connection in use by others.
    ///   - sending: The time for writing the request.
    ///   - waiting: The time from the end of the request to the head of the response.
    ///   - receiving: The time from the head of the response to its end.
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

    /// Creates timings from instants of one clock, in nanoseconds; an instant that is unknown, or earlier than the
    /// previous one, contributes no time.
    init(began: UInt64, connected: UInt64?, headSent: UInt64, requestSent: UInt64, headReceived: UInt64, ended: UInt64)
    {
        var last = began
        func advance(to instant: UInt64) -> Int64 {
            defer { last = max(last, instant) }
            return Int64(clamping: instant > last ? instant - last : 0)
        }
        // An existing connection was not made by this exchange.
        connectingTime = connected.map { $0 > began ? advance(to: $0) : -1 } ?? -1
        blockedTime = advance(to: headSent)
        sendingTime = advance(to: requestSent)
        waitingTime = advance(to: headReceived)
        receivingTime = advance(to: ended)
    }

    /// The time for the host lookup, the connection and the TLS handshake; `nil` if an existing connection was used.
    public var connecting: Duration? { connectingTime < 0 ? nil : .nanoseconds(connectingTime) }

    /// The time spent waiting for a connection in use by others.
    public var blocked: Duration { .nanoseconds(blockedTime) }

    /// The time for writing the request.
    public var sending: Duration { .nanoseconds(sendingTime) }

    /// The time from the end of the request to the head of the response.
    public var waiting: Duration { .nanoseconds(waitingTime) }

    /// The time from the head of the response to its end.
    public var receiving: Duration { .nanoseconds(receivingTime) }

    /// The sum of all phases.
    public var total: Duration { (connecting ?? .zero) + blocked + sending + waiting + receiving }
}
