// SPDX-License-Identifier: MIT

internal import RestEssentials

/// A strategy for dates, the same for decoding and encoding but for the type of the closure.
enum DateCoding<Closure: Sendable>: Sendable {
    case deferred
    case secondsSince1970
    case millisecondsSince1970
    case iso8601
    case custom(Closure)
}

// Foundation has another enumeration for each direction. Both may get cases that this library does not know, such as
// the one for formatters, which exists on some platforms only.

extension DateCoding<@Sendable (any Decoder) throws -> Date> {
    init?(_ strategy: JSONDecoder.DateDecodingStrategy) {
        if case .deferredToDate = strategy {
            self = .deferred
        } else if case .secondsSince1970 = strategy {
            self = .secondsSince1970
        } else if case .millisecondsSince1970 = strategy {
            self = .millisecondsSince1970
        } else if case .iso8601 = strategy {
            self = .iso8601
        } else if case .custom(let decode) = strategy {
            self = .custom(decode)
        } else {
            return nil
        }
    }
}

extension DateCoding<@Sendable (Date, any Encoder) throws -> Void> {
    init?(_ strategy: JSONEncoder.DateEncodingStrategy) {
        if case .deferredToDate = strategy {
            self = .deferred
        } else if case .secondsSince1970 = strategy {
            self = .secondsSince1970
        } else if case .millisecondsSince1970 = strategy {
            self = .millisecondsSince1970
        } else if case .iso8601 = strategy {
            self = .iso8601
        } else if case .custom(let encode) = strategy {
            self = .custom(encode)
        } else {
            return nil
        }
    }
}
