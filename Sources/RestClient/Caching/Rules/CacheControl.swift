// SPDX-License-Identifier: MIT

import HTTPTypes

/// The directives of `Cache-Control` (RFC 9111, section 5.2), parsed tolerantly.
///
/// Names are case-insensitive, arguments may be quoted, and unknown directives are ignored.
struct CacheControl: Sendable, Equatable {
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

    enum Seconds: Sendable, Equatable {
        case absent
        case valid(Duration)
        case invalid

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

    init(_ headers: HTTPFields) {
        directives = FieldList.elements(of: headers[values: .cacheControl]).compactMap(Self.directive)
    }

    var isEmpty: Bool { directives.isEmpty }

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
