// SPDX-License-Identifier: MIT

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
