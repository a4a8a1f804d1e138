// SPDX-License-Identifier: MIT

/// The value of a header field that a manager adds to every request by itself.
///
/// ```swift
/// manager.automaticHeaders[.userAgent] = "store-sync/2.1"
/// manager.automaticHeaders[.authorization] = .provider { "Bearer \(await session.token)" }
/// ```
///
/// It yields to the server's, the API's and the call's own fields of that name.
public struct AutomaticHeader: Sendable, ExpressibleByStringLiteral {
    enum Source: Sendable {
        case value(String)
        case provider(@Sendable () async throws -> String?)
    }

    let source: Source

    /// A value that stays the same.
    public static func value(_ value: String) -> AutomaticHeader {
        AutomaticHeader(source: .value(value))
    }

    /// A value that is requested again before every attempt on the wire, so that a retry carries a fresh one.
    ///
    /// - Parameter provide: Returns the value, or `nil` to leave the field out. What it throws fails the call as it is.
    /// - Returns: A value for ``RestClientManager/automaticHeaders``.
    public static func provider(_ provide: @escaping @Sendable () async throws -> String?) -> AutomaticHeader {
        AutomaticHeader(source: .provider(provide))
    }

    /// Creates a value that stays the same from a string literal.
    public init(stringLiteral value: String) {
        source = .value(value)
    }

    private init(source: Source) {
        self.source = source
    }
}

extension AutomaticHeader: CustomStringConvertible {
    /// "provider", or a mask in place of a fixed value.
    public var description: String {
        switch source {
        case .value: Redaction.mask
        case .provider: "provider"
        }
    }
}
