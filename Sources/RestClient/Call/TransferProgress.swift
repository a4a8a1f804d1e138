// SPDX-License-Identifier: MIT

/// The progress of a transfer, of one call or of several together.
public struct TransferProgress: Sendable, Hashable {
    /// The number of bytes that have gone over the wire.
    public var completed: Int64

    /// The number of bytes in all; `nil` if that is not known.
    public var total: Int64?

    /// The bytes a second, averaged over the last few; `nil` before there is a measure.
    public var rate: Double?

    /// Creates a progress.
    ///
    /// - Parameters:
    ///   - completed: How many bytes have gone over the wire.
    ///   - total: How many there are in all.
    ///   - rate: The bytes a second.
    public init(completed: Int64 = 0, total: Int64? = nil, rate: Double? = nil) {
        self.completed = completed
        self.total = total
        self.rate = rate
    }

    /// The part that is done, from 0 to 1; `nil` if the total is not known.
    public var fraction: Double? {
        total.map { $0 > 0 ? min(1, max(0, Double(completed) / Double($0))) : 1 }
    }

    /// The time that the rest takes at the present rate; `nil` if that is unknown.
    public var remainingTime: Duration? {
        guard let total, let rate else {
            return nil
        }
        let rest = max(0, Double(total) - Double(completed))
        // Beyond a century nothing is told.
        guard rest > 0, rest / 3e9 <= rate else {
            return rest > 0 ? nil : .zero
        }
        return .seconds(rest / rate)
    }
}

/// The progress of the request or the response of a call.
public struct CallProgress: Sendable, Hashable {
    /// A direction of a transfer, as the client sees it.
    public enum Direction: String, Sendable, Hashable, CaseIterable {
        /// The body of the request.
        case sent
        /// The body of the response.
        case received
    }

    /// The direction.
    public let direction: Direction

    /// The bytes of the body in that direction; another attempt begins again from zero.
    public let transfer: TransferProgress

    /// Creates a progress.
    ///
    /// - Parameters:
    ///   - direction: The direction.
    ///   - transfer: The bytes of the body in that direction.
    public init(_ direction: Direction, _ transfer: TransferProgress) {
        self.direction = direction
        self.transfer = transfer
    }
}
