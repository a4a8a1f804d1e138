// SPDX-License-Identifier: MIT

/// Parses the text of a ``PathTemplate`` (RFC 6570, section 2).
enum PathTemplateParser {
    static func parse(_ source: String) throws(PathTemplate.Defect) -> [PathTemplate.Part] {
        var parts: [PathTemplate.Part] = []
        var literal = ""
        var rest = Substring(source)

        func flush() {
            if !literal.isEmpty {
                let encoded = PercentEncoding.encode(literal, allowing: .unreservedAndReserved)
                parts.append(.literal(encoded))
                literal = ""
            }
        }

        while let character = rest.first {
            switch character {
            case "{":
                guard let end = rest.firstIndex(of: "}") else {
                    throw PathTemplate.Defect(reason: "'\(rest.prefix(12))' opens a brace that is never closed")
                }
                flush()
                let body = rest[rest.index(after: rest.startIndex)..<end]
                parts.append(.expression(try expression(body)))
                rest = rest[rest.index(after: end)...]
            case "}":
                throw PathTemplate.Defect(reason: "'}' closes a brace that was never opened")
            case "$":
                let digits = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
                guard !digits.isEmpty else {
                    literal.append(character)
                    rest.removeFirst()
                    continue
                }
                flush()
                parts.append(
                    .expression(.init(kind: .simple, variables: [.init(name: "$" + digits)]))
                )
                rest = rest[digits.endIndex...]
            case "<", ">", "\\", "^", "`", "|", "\"":
                throw PathTemplate.Defect(reason: "'\(character)' must be percent-encoded")
            default:
                if character.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
                    throw PathTemplate.Defect(reason: "it contains a control character")
                }
                literal.append(character)
                rest.removeFirst()
            }
        }
        flush()
        return parts
    }

    private static func expression(_ body: Substring) throws(PathTemplate.Defect) -> PathTemplate.Expression {
        var names = body
        var kind = PathTemplate.Kind.simple
        if let first = body.first {
            if first != " ", let marked = PathTemplate.Kind(rawValue: first) {
                kind = marked
                names.removeFirst()
            } else if "=,!@|".contains(first) {
                throw PathTemplate.Defect(reason: "'{\(body)}' uses the operator '\(first)', which RFC 6570 reserves")
            }
        }
        guard !names.isEmpty else {
            throw PathTemplate.Defect(reason: "'{\(body)}' names no variable")
        }
        var variables: [PathTemplate.Variable] = []
        for specification in names.split(separator: ",", omittingEmptySubsequences: false) {
            variables.append(try variable(specification, in: body))
        }
        return .init(kind: kind, variables: variables)
    }

    private static func variable(
        _ specification: Substring,
        in body: Substring
    ) throws(PathTemplate.Defect) -> PathTemplate.Variable {
        var name = specification
        var variable = PathTemplate.Variable(name: "")
        if name.hasSuffix("*") {
            name.removeLast()
            variable.isExploded = true
        } else if let colon = name.firstIndex(of: ":") {
            let digits = name[name.index(after: colon)...]
            guard let length = Int(digits), (1...9_999).contains(length), digits.allSatisfy(\.isNumber),
                digits.first != "0"
            else {
                throw PathTemplate.Defect(reason: "'{\(body)}' has a prefix length that is not between 1 and 9999")
            }
            variable.prefixLength = length
            name = name[..<colon]
        }
        guard isVariableName(name) else {
            throw PathTemplate.Defect(reason: "'\(name)' in '{\(body)}' is not a variable name")
        }
        return .init(
            name: String(name),
            prefixLength: variable.prefixLength,
            isExploded: variable.isExploded
        )
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
