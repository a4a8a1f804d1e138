// SPDX-License-Identifier: MIT

public import RestEssentials
import Synchronization

/// The format of dates in a body, in both directions.
public struct DateStrategy: Sendable, Hashable, CustomStringConvertible {
    /// A text as in `2026-03-01T12:30:00Z`.
    public static let iso8601 = DateStrategy(kind: .iso8601, name: "ISO 8601")

    /// A number of seconds since 1970, with their fraction.
    public static let secondsSince1970 = DateStrategy(kind: .seconds, name: "seconds since 1970")

    /// A number of milliseconds since 1970, with their fraction.
    public static let millisecondsSince1970 = DateStrategy(kind: .milliseconds, name: "milliseconds since 1970")

    package enum Kind: Sendable {
        case iso8601, seconds, milliseconds
        case text(
            encode: @Sendable (Date, any Encoder) throws -> Void,
            decode: @Sendable (any Decoder) throws -> Date
        )
    }

    private static let counter = Atomic<UInt64>(0)

    package let kind: Kind
    /// The name of a text has a number, as closures cannot be compared.
    private let name: String

    /// A text in a format of your own.
    ///
    /// ```swift
    /// extension DateStrategy {
    ///     static let day = DateStrategy.text { $0.formatted(.iso8601.year().month().day()) } parse: { text in
    ///         try? Date(text, strategy: .iso8601.year().month().day())
    ///     }
    /// }
    /// ```
    ///
    /// Each call of this method makes a strategy that is equal to itself only: keep it, so that calls with it can share
    /// requests.
    ///
    /// - Parameters:
    ///   - format: Returns the text of a date; called from any task.
    ///   - parse: Returns the date in a text, or `nil` if there is none; called from any task.
    /// - Returns: The strategy.
    public static func text(
        format: @escaping @Sendable (Date) -> String,
        parse: @escaping @Sendable (String) -> Date?
    ) -> DateStrategy {
        let id = counter.add(1, ordering: .relaxed).newValue
        let kind = Kind.text(
            encode: { date, encoder in
                var container = encoder.singleValueContainer()
                try container.encode(format(date))
            },
            decode: { decoder in
                let container = try decoder.singleValueContainer()
                guard let date = parse(try container.decode(String.self)) else {
                    throw DecodingError.dataCorruptedError(
                        in: container,
                        debugDescription: "the text is not a date in the format of the call"
                    )
                }
                return date
            }
        )
        return DateStrategy(kind: kind, name: "text (\(id))")
    }

    /// The name of the format.
    public var description: String { name }

    /// Returns true if the strategies are the same.
    public static func == (left: DateStrategy, right: DateStrategy) -> Bool {
        left.name == right.name
    }

    /// Hashes the format.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
    }

    func configure(_ encoder: JSONEncoder) {
        switch kind {
        case .iso8601: encoder.dateEncodingStrategy = .iso8601
        case .seconds: encoder.dateEncodingStrategy = .secondsSince1970
        case .milliseconds: encoder.dateEncodingStrategy = .millisecondsSince1970
        case .text(let encode, _): encoder.dateEncodingStrategy = .custom(encode)
        }
    }

    func configure(_ decoder: JSONDecoder) {
        switch kind {
        case .iso8601: decoder.dateDecodingStrategy = .iso8601
        case .seconds: decoder.dateDecodingStrategy = .secondsSince1970
        case .milliseconds: decoder.dateDecodingStrategy = .millisecondsSince1970
        case .text(_, let decode): decoder.dateDecodingStrategy = .custom(decode)
        }
    }
}
