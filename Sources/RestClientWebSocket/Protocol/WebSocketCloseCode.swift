// SPDX-License-Identifier: MIT

/// The reason for the end of a WebSocket, as a number (RFC 6455, section 7.4).
///
/// Numbers from 3000 are for libraries and applications.
public struct WebSocketCloseCode: RawRepresentable, Sendable, Hashable, ExpressibleByIntegerLiteral,
    CustomStringConvertible
{
    /// The number.
    public let rawValue: UInt16

    /// Creates a code.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Creates a code.
    public init(integerLiteral value: UInt16) {
        rawValue = value
    }

    /// The purpose of the connection is fulfilled.
    public static let normal: Self = 1000
    /// An endpoint goes away: a server stops, or a program ends.
    public static let goingAway: Self = 1001
    /// The other side broke the protocol.
    public static let protocolError: Self = 1002
    /// The other side sent data of a type that cannot be accepted.
    public static let unsupportedData: Self = 1003
    /// The other side closed without a code; it is never sent.
    public static let noStatus: Self = 1005
    /// The connection ended without a close; it is never sent.
    public static let abnormal: Self = 1006
    /// The other side sent a text that is not valid UTF-8.
    public static let invalidText: Self = 1007
    /// The other side violated a policy.
    public static let policyViolation: Self = 1008
    /// The other side sent a message that is too large.
    public static let messageTooLarge: Self = 1009
    /// The server met an unexpected condition.
    public static let internalError: Self = 1011
    /// The server restarts.
    public static let serviceRestart: Self = 1012
    /// The server is overloaded.
    public static let tryAgainLater: Self = 1013
    /// A gateway got an invalid response from its upstream server.
    public static let badGateway: Self = 1014

    var canBeSent: Bool {
        [1000...1003, 1007...1014, 3000...4999].contains { $0.contains(rawValue) }
    }

    /// The number.
    public var description: String { String(rawValue) }
}
