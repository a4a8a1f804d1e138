// SPDX-License-Identifier: MIT

/// A request method, as it is sent.
public struct LoopbackMethod: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The method's name, in its original case.
    public let rawValue: String

    /// Creates a method.
    ///
    /// - Parameter rawValue: Its name, for example `GET`.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates a method from a literal.
    ///
    /// - Parameter value: Its name, for example `GET`.
    public init(stringLiteral value: String) {
        rawValue = value
    }

    /// The method's name.
    public var description: String {
        rawValue
    }

    /// `GET`.
    public static let get: Self = "GET"
    /// `HEAD`.
    public static let head: Self = "HEAD"
    /// `POST`.
    public static let post: Self = "POST"
    /// `PUT`.
    public static let put: Self = "PUT"
    /// `PATCH`.
    public static let patch: Self = "PATCH"
    /// `DELETE`.
    public static let delete: Self = "DELETE"
    /// `OPTIONS`.
    public static let options: Self = "OPTIONS"
}
