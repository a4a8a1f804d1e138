// SPDX-License-Identifier: MIT

/// A path with placeholders, parsed once and expanded for each request.
///
/// `{name}` stands for one path segment; the value is percent-encoded and can never add a segment. All expressions of
/// RFC 6570 up to level 4 are supported too: `{+path}`, `{#fragment}`, `{.extension}`, `{/segments*}`, `{;matrix}`,
/// `{?query*}`, `{&more}`, `{name:3}`. The legacy tokens `$0`, `$1`, … are placeholders named `$0`, `$1`, ….
///
/// ```swift
/// let path: PathTemplate = "/users/{user}/orders{?page,size}"
/// // With "a/b" for user and 2 for page: "/users/a%2Fb/orders?page=2"
/// ```
///
/// A template that cannot be parsed, or that has a dot segment (`/a/../b`), is reported when a request is sent with
/// it, and by ``RestClientManager/lint()``.
public struct PathTemplate: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    package let source: String

    let parts: Result<[Part], Defect>

    /// The parts of a template that can be parsed.
    private var readableParts: [Part] { (try? parts.get()) ?? [] }

    /// Parses a template.
    ///
    /// - Parameter source: The text with its placeholders; it may be empty.
    public init(_ source: String) {
        self.init(source, defect: nil)
    }

    init(_ source: String, defect: Defect?) {
        self.source = source
        parts = defect.map { .failure($0) } ?? Result { () throws(Defect) in try Self.parse(source) }
    }

    /// Parses a template given as a string literal.
    public init(stringLiteral value: String) {
        self.init(value)
    }

    var rooted: PathTemplate { source.hasPrefix("/") ? self : PathTemplate("/" + source) }

    /// The names of the placeholders, in the order of their first appearance.
    var variableNames: [String] {
        var names: [String] = []
        for case .expression(let expression) in readableParts {
            for variable in expression.variables where !names.contains(variable.name) {
                names.append(variable.name)
            }
        }
        return names
    }

    func hasVariable(_ name: String) -> Bool { variableNames.contains(name) }

    /// The dot segment that the template has whatever the values are; `nil` if it has none.
    var dotSegment: String? {
        let text = readableParts.map { part in
            switch part {
            case .literal(let text): text
            case .expression(let expression):
                switch expression.kind {
                case .segment: "/-"
                case .query, .fragment: "?"
                default: "-"
                }
            }
        }
        return PathReading.dotSegment(in: Substring(HTTPURL.beginning(of: text.joined())))
    }

    /// The template as it was written.
    public var description: String { source }
}

// MARK: - Parts

extension PathTemplate {
    struct Defect: Error, Hashable {
        let reason: String
    }

    enum Part: Sendable, Hashable {
        case literal(String)
        case expression(Expression)
    }

    /// The content of a pair of braces, or a `$` token.
    struct Expression: Sendable, Hashable {
        let kind: Kind
        let variables: [Variable]

        /// The variable of an expression like `{name}`, without modifiers, which is the usual case.
        var plainVariable: Variable? {
            kind == .simple && variables.count == 1 && variables[0].prefixLength == nil ? variables[0] : nil
        }
    }

    /// One name of an expression, with its modifier (RFC 6570, section 2.4).
    struct Variable: Sendable, Hashable {
        var name: String
        /// The number of characters of the value that are used.
        var prefixLength: Int?
        var isExploded = false
    }

    /// The operator of an expression (RFC 6570, section 2.2 and appendix A).
    enum Kind: Character, Sendable {
        case simple = " "
        case reserved = "+"
        case fragment = "#"
        case label = "."
        case segment = "/"
        case matrix = ";"
        case query = "?"
        case queryContinuation = "&"

        var first: String { self == .simple || self == .reserved ? "" : String(rawValue) }

        var separator: String {
            switch self {
            case .simple, .reserved, .fragment: ","
            case .query: "&"
            case .queryContinuation, .label, .segment, .matrix: String(rawValue)
            }
        }

        var isNamed: Bool { self == .matrix || keepsEqualsWhenEmpty }

        var keepsEqualsWhenEmpty: Bool { self == .query || self == .queryContinuation }

        var allowed: PercentEncoding.Allowed {
            self == .reserved || self == .fragment ? .unreservedAndReserved : .unreserved
        }

        /// True if a request cannot be sent without a value: an optional query item may be omitted, a segment may not.
        var isRequired: Bool { self == .simple || self == .reserved }
    }

    /// The items of the template's query that hold no placeholders, names and values decoded, in order.
    ///
    /// One without an equals sign has no value, and matches any.
    package var literalQuery: [(name: String, value: String?)] {
        // In `?kind=book{&page}` a placeholder follows the item.
        QueryItems.split((HTTPURL.query(of: source) ?? "").replacing("{&", with: "&{"))
            .filter { item in !"\(item.name)\(item.value ?? "")".utf8.contains { "{}$".utf8.contains($0) } }
            .map { item in (PercentEncoding.decode(item.name), item.value.map { PercentEncoding.decode($0) }) }
    }
}

// MARK: - Parsing (RFC 6570, section 2)

extension PathTemplate {
    private static func parse(_ source: String) throws(Defect) -> [Part] {
        var parts: [Part] = []
        var literal = ""
        var rest = Substring(source)

        func flush() {
            if !literal.isEmpty {
                parts.append(.literal(PercentEncoding.encode(literal, allowing: .unreservedAndReserved)))
                literal = ""
            }
        }

        while let character = rest.first {
            switch character {
            case "{":
                guard let end = rest.firstIndex(of: "}") else {
                    throw Defect(reason: "'\(rest.prefix(12))' opens a brace that is never closed")
                }
                flush()
                let body = rest[rest.index(after: rest.startIndex)..<end]
                parts.append(.expression(try expression(body)))
                rest = rest[rest.index(after: end)...]
            case "}":
                throw Defect(reason: "'}' closes a brace that was never opened")
            case "$":
                let digits = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
                guard !digits.isEmpty else {
                    literal.append(character)
                    rest.removeFirst()
                    continue
                }
                flush()
                parts.append(.expression(.init(kind: .simple, variables: [.init(name: "$" + digits)])))
                rest = rest[digits.endIndex...]
            case "<", ">", "\\", "^", "`", "|", "\"":
                throw Defect(reason: "'\(character)' must be percent-encoded")
            default:
                if character.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
                    throw Defect(reason: "it contains a control character")
                }
                literal.append(character)
                rest.removeFirst()
            }
        }
        flush()
        return parts
    }

    private static func expression(_ body: Substring) throws(Defect) -> Expression {
        var names = body
        var kind = Kind.simple
        if let first = body.first {
            if first != " ", let marked = Kind(rawValue: first) {
                kind = marked
                names.removeFirst()
            } else if "=,!@|".contains(first) {
                throw Defect(reason: "'{\(body)}' uses the operator '\(first)', which RFC 6570 reserves")
            }
        }
        guard !names.isEmpty else {
            throw Defect(reason: "'{\(body)}' names no variable")
        }
        let specifications = names.split(separator: ",", omittingEmptySubsequences: false)
        return .init(
            kind: kind,
            variables: try specifications.map { name throws(Defect) in try variable(name, in: body) }
        )
    }

    private static func variable(
        _ specification: Substring,
        in body: Substring
    ) throws(Defect) -> Variable {
        var name = specification
        var variable = Variable(name: "")
        if name.hasSuffix("*") {
            name.removeLast()
            variable.isExploded = true
        } else if let colon = name.firstIndex(of: ":") {
            let digits = name[name.index(after: colon)...]
            guard let length = Int(digits), (1...9_999).contains(length), digits.allSatisfy(\.isNumber),
                digits.first != "0"
            else {
                throw Defect(reason: "'{\(body)}' has a prefix length that is not between 1 and 9999")
            }
            variable.prefixLength = length
            name = name[..<colon]
        }
        guard isVariableName(name) else {
            throw Defect(reason: "'\(name)' in '{\(body)}' is not a variable name")
        }
        variable.name = String(name)
        return variable
    }

    /// Returns true for letters, digits, underscores, percent triplets, and single dots between them (RFC 6570, section
    /// 2.3).
    private static func isVariableName(_ name: Substring) -> Bool {
        let isWellFormed = name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
        var rest = name[...]
        while let character = rest.first {
            if character == "%" {
                guard rest.count >= 3, rest.dropFirst().prefix(2).allSatisfy(\.isHexDigit) else {
                    return false
                }
                rest = rest.dropFirst(3)
            } else if character.isASCII, character.isLetter || character.isNumber || "_.".contains(character) {
                rest = rest.dropFirst()
            } else {
                return false
            }
        }
        return !name.isEmpty && isWellFormed
    }
}
