// SPDX-License-Identifier: MIT

import HTTPTypes

/// The directives of `Cache-Control` (RFC 9111, section 5.2), parsed tolerantly.
///
/// Names are case-insensitive, arguments may be quoted, and unknown directives are ignored.
struct CacheControl: Sendable, Equatable {
    /// The directives with a meaning for a private cache.
    enum Name: String, Sendable {
        case maxAge = "max-age"
        case maxStale = "max-stale"
        case minFresh = "min-fresh"
        case noCache = "no-cache"
        case noStore = "no-store"
        case onlyIfCached = "only-if-cached"
        case mustRevalidate = "must-revalidate"
        case mustUnderstand = "must-understand"
        case isPublic = "public"
        case isPrivate = "private"
        case immutable
        case staleWhileRevalidate = "stale-while-revalidate"
        case staleIfError = "stale-if-error"
    }

    /// The argument of a directive that takes a number of seconds.
    enum Seconds: Sendable, Equatable {
        /// The directive is missing, or has no argument.
        case absent
        case valid(Duration)
        /// The argument is not a number of seconds.
        case invalid

        /// The duration, if the argument is valid.
        var duration: Duration? {
            if case .valid(let duration) = self { duration } else { nil }
        }
    }

    private struct Directive: Sendable, Equatable {
        let name: Name
        let argument: String?
        /// True if no white space surrounds the equals sign, as the grammar requires.
        let isTight: Bool
    }

    private let directives: [Directive]

    /// Parses the directives of a message.
    init(_ headers: HTTPFields) {
        directives = FieldList.elements(of: headers[values: .cacheControl]).compactMap(Self.directive)
    }

    /// True if a message has no directive that a private cache knows.
    var isEmpty: Bool { directives.isEmpty }

    /// Returns true if the directive is present, with or without an argument.
    func contains(_ name: Name) -> Bool {
        directives.contains { $0.name == name }
    }

    /// Returns true if the directive is present without an argument, or with one that lists no field.
    func isUnqualified(_ name: Name) -> Bool {
        directives.contains { $0.name == name && FieldList.elements(of: $0.argument ?? "").isEmpty }
    }

    /// Returns the argument as a number of seconds; the smallest of several, and `.invalid` if any is not a number (RFC
    /// 9111, section 4.2.1: a response with invalid freshness information is stale).
    func seconds(_ name: Name) -> Seconds {
        var smallest = Seconds.absent
        for directive in directives where directive.name == name {
            guard let argument = directive.argument else {
                continue
            }
            guard directive.isTight, let duration = Duration(deltaSeconds: argument) else {
                return .invalid
            }
            smallest = .valid(min(smallest.duration ?? duration, duration))
        }
        return smallest
    }

    /// Returns the names of the fields to which the directive is limited.
    func fieldNames(_ name: Name) -> [HTTPField.Name] {
        directives.filter { $0.name == name }
            .flatMap { FieldList.elements(of: $0.argument ?? "") }
            .compactMap { HTTPField.Name(String($0)) }
    }

    private static func directive(_ element: Substring) -> Directive? {
        let mark = element.utf8.firstIndex(of: UInt8(ascii: "="))
        let name = element[..<(mark ?? element.endIndex)]
        guard let known = Name(rawValue: FieldList.token(FieldList.trimmed(name))) else {
            return nil
        }
        guard let mark else {
            return Directive(name: known, argument: nil, isTight: true)
        }
        let argument = element[element.utf8.index(after: mark)...]
        let trimmed = FieldList.trimmed(argument)
        return Directive(
            name: known,
            argument: FieldList.unquoted(trimmed),
            isTight: trimmed.utf8.count == argument.utf8.count && FieldList.trimmed(name).utf8.count == name.utf8.count
        )
    }
}
