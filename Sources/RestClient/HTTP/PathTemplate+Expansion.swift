// SPDX-License-Identifier: MIT

extension PathTemplate {
    enum ExpansionDefect: Error, Hashable {
        case unreadable(reason: String)
        case prefixOfList(String)
        case missing(String)
        case empty(String)
        /// A value turns a segment into one that a server takes for `.` or `..`.
        case dotSegment(String, by: String)
    }

    /// Expands the placeholders exactly as RFC 6570 specifies; see ``expand(_:)``.
    func expansion(_ values: [String: JSONValue]) throws(ExpansionDefect) -> String {
        var output = ""
        for part in try parsedParts() {
            switch part {
            case .literal(let text): output += text
            case .expression(let expression): try append(expression, values: values, to: &output)
            }
        }
        return output
    }

    /// Expands the placeholders for a request: required ones must have a value, and none may change the shape of the
    /// path.
    ///
    /// An empty default removes the segment with its slash.
    func requestExpansion(
        _ values: [String: JSONValue],
        defaults: [String: JSONValue]
    ) throws(ExpansionDefect) -> (path: String, used: Set<String>) {
        let parts = try parsedParts()
        if parts.count <= 1 {
            switch parts.first {
            case .none: return ("", [])
            case .literal(let text):
                try checkLiteral(text)
                return (text, [])
            case .expression: break
            }
        }
        var output = ""
        var used: Set<String> = []
        var filledIn: [(range: Range<Int>, expression: Expression)] = []
        for (index, part) in parts.enumerated() {
            let expression: Expression
            switch part {
            case .literal(let text):
                output += text
                continue
            case .expression(let content): expression = content
            }
            if let variable = expression.plainVariable, let value = values[variable.name]?.scalarText {
                let start = output.utf8.count
                PercentEncoding.append(value, allowing: .unreserved, to: &output)
                filledIn.append((start..<output.utf8.count, expression))
                used.insert(variable.name)
                continue
            }
            var filled: [String: JSONValue] = [:]
            var isRemoved = false
            for variable in expression.variables {
                if let value = values[variable.name], !value.isUndefined {
                    filled[variable.name] = value
                    used.insert(variable.name)
                } else if let fallback = defaults[variable.name], !fallback.isUndefined {
                    filled[variable.name] = fallback
                    isRemoved = fallback == .string("")
                } else if expression.kind.isRequired {
                    throw .missing(variable.name)
                }
            }
            if isRemoved, expression.kind.isRequired, expression.variables.count == 1 {
                if output.hasSuffix("/"), startsSegment(at: index + 1, of: parts) {
                    output.removeLast()
                }
                continue
            }
            let start = output.utf8.count
            try append(expression, values: filled, to: &output)
            filledIn.append((start..<output.utf8.count, expression))
        }
        for (range, expression) in filledIn {
            try checkSegments(touching: range, of: output, expression)
        }
        try checkLiteral(output)
        return (output, used)
    }

    /// Rejects a path with a dot segment that no value makes, as the address of a server with one is rejected.
    private func checkLiteral(_ path: String) throws(ExpansionDefect) {
        if let segment = PathReading.dotSegment(in: Substring(HTTPURL.beginning(of: path))) {
            throw .unreadable(reason: "it contains the dot segment '\(segment)'")
        }
    }

    private func parsedParts() throws(ExpansionDefect) -> [Part] {
        do throws(Defect) {
            return try parts.get()
        } catch {
            throw .unreadable(reason: error.reason)
        }
    }

    private func startsSegment(at index: Int, of parts: [Part]) -> Bool {
        guard index < parts.count else {
            return true
        }
        switch parts[index] {
        case .literal(let text): return text.hasPrefix("/") || text.hasPrefix("?") || text.hasPrefix("#")
        case .expression(let next): return [.segment, .query, .fragment].contains(next.kind)
        }
    }

    /// Rejects values that would leave a segment empty or turn it into `.` or `..`, which servers resolve.
    private func checkSegments(
        touching range: Range<Int>,
        of path: String,
        _ expression: Expression
    ) throws(ExpansionDefect) {
        let bytes = path.utf8
        // A removed segment after it may have removed the slash that ended the value.
        let range = range.clamped(to: 0..<bytes.count)
        var first = bytes.index(bytes.startIndex, offsetBy: range.lowerBound)
        var last = bytes.index(first, offsetBy: range.count)
        while first != bytes.startIndex, bytes[bytes.index(before: first)] != UInt8(ascii: "/") {
            first = bytes.index(before: first)
        }
        while last != bytes.endIndex, bytes[last] != UInt8(ascii: "/") {
            last = bytes.index(after: last)
        }
        var segments = path[first..<last]
        if let mark = segments.utf8.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) {
            segments = segments[..<mark]
        }
        guard segments.isEmpty || segments.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "%") })
        else {
            return
        }
        let names = expression.variables.map(\.name).joined(separator: ", ")
        if segments.isEmpty, expression.kind.isRequired {
            throw .empty(names)
        }
        if let segment = PathReading.dotSegment(in: segments) {
            throw .dotSegment(segment, by: names)
        }
    }
}

// MARK: - Expressions (RFC 6570, section 3.2)

extension PathTemplate {
    private func append(
        _ expression: Expression,
        values: [String: JSONValue],
        to output: inout String
    ) throws(ExpansionDefect) {
        let kind = expression.kind
        var items: [String] = []
        for variable in expression.variables {
            guard let value = values[variable.name], !value.isUndefined else {
                continue
            }
            switch value {
            case .array where variable.prefixLength != nil, .object where variable.prefixLength != nil:
                throw .prefixOfList(variable.name)
            case .array(let elements):
                items += expandList(elements.compactMap(\.scalarText), variable, kind)
            case .object(let members):
                let pairs = members.compactMapValues(\.scalarText).sorted { $0.key < $1.key }
                items += expandPairs(pairs, variable, kind)
            default:
                var text = value.scalarText ?? ""
                if let length = variable.prefixLength {
                    text = String(text.unicodeScalars.prefix(length))
                }
                items.append(named(variable.name, PercentEncoding.encode(text, allowing: kind.allowed), kind))
            }
        }
        if !items.isEmpty {
            output += kind.first
            output += items.joined(separator: kind.separator)
        }
    }

    private func expandList(_ values: [String], _ variable: Variable, _ kind: Kind) -> [String] {
        let encoded = values.map { PercentEncoding.encode($0, allowing: kind.allowed) }
        return (variable.isExploded ? encoded : [encoded.joined(separator: ",")]).map { named(variable.name, $0, kind) }
    }

    private func expandPairs(_ pairs: [(key: String, value: String)], _ variable: Variable, _ kind: Kind) -> [String] {
        let encoded = pairs.map { pair in
            [pair.key, pair.value].map { PercentEncoding.encode($0, allowing: kind.allowed) }
        }
        if variable.isExploded {
            return encoded.map { $0[1].isEmpty && kind == .matrix ? $0[0] : "\($0[0])=\($0[1])" }
        }
        return [named(variable.name, encoded.joined().joined(separator: ","), kind)]
    }

    private func named(_ name: String, _ value: String, _ kind: Kind) -> String {
        guard kind.isNamed else {
            return value
        }
        return value.isEmpty && !kind.keepsEqualsWhenEmpty ? name : "\(name)=\(value)"
    }
}

extension JSONValue {
    /// True if RFC 6570, section 2.3 counts the value as undefined.
    var isUndefined: Bool {
        switch self {
        case .null: true
        case .array(let elements): elements.allSatisfy { $0 == .null }
        case .object(let members): members.values.allSatisfy { $0 == .null }
        default: false
        }
    }
}
