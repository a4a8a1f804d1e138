// SPDX-License-Identifier: MIT

public import RestClient
import RestEssentials

/// Header lines in the order and spelling of the wire.
///
/// Lines of the same name are separate.
///
/// ```swift
/// var headers: LoopbackHeaders = ["Content-Type": "text/plain", "Set-Cookie": "a=1"]
/// headers.append("Set-Cookie", "b=2")
/// headers["content-type"]             // "text/plain": names are case-insensitive
/// headers.values("set-cookie")        // ["a=1", "b=2"]
/// ```
public struct LoopbackHeaders: Hashable, Sendable {
    package struct Line: Hashable, Sendable {
        package var name: String
        package var value: String

        init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package var lines: [Line]

    init(_ lines: [Line] = []) {
        self.lines = lines
    }

    /// The value of the first line of a name.
    ///
    /// Setting it replaces all of them; `nil` removes them.
    ///
    /// - Parameter name: The header's name, in any case.
    public subscript(name: String) -> String? {
        get {
            lines.first { line in line.name.isSameToken(as: name) }?.value
        }
        set {
            let index = lines.firstIndex { line in line.name.isSameToken(as: name) }
            lines.removeAll { line in line.name.isSameToken(as: name) }
            if let newValue {
                lines.insert(Line(name, newValue), at: index ?? lines.endIndex)
            }
        }
    }

    /// Returns the values of all lines of a name, first to last.
    ///
    /// - Parameter name: The header's name, in any case.
    /// - Returns: One value for each line; empty if there is none.
    public func values(_ name: String) -> [String] {
        lines.filter { line in line.name.isSameToken(as: name) }.map(\.value)
    }

    /// Appends a line, even if there is one of that name.
    ///
    /// - Parameters:
    ///   - name: The header's name.
    ///   - value: Its value, which is sent unchecked and unescaped.
    public mutating func append(_ name: String, _ value: String) {
        lines.append(Line(name, value))
    }

    /// Returns true if a list header contains a token, case-insensitively.
    func hasToken(_ token: String, in name: String) -> Bool {
        values(name)
            .flatMap { value in value.split(separator: ",") }
            .contains { part in
                String(part.drop { $0 == " " }.prefix { $0 != " " && $0 != ";" }).isSameToken(as: token)
            }
    }
}

extension LoopbackHeaders: ExpressibleByDictionaryLiteral {
    /// Creates headers from a literal, which may contain a name more than once.
    ///
    /// - Parameter elements: Names and values, first to last.
    public init(dictionaryLiteral elements: (String, String)...) {
        lines = elements.map { name, value in Line(name, value) }
    }
}

extension LoopbackHeaders: MirroredByDescription {
    /// The lines as in an HTTP/1.1 message, with secrets masked, without a final line break.
    public var description: String {
        lines.map { MessageText.of("\($0.name): \(Redaction.value(of: $0.name, $0.value))") }.joined(separator: "\r\n")
    }
}

extension String {
    func isSameToken(as other: String) -> Bool {
        utf8.count == other.utf8.count
            && zip(utf8, other.utf8).allSatisfy { left, right in left.lowercasedASCII == right.lowercasedASCII }
    }
}

extension UInt8 {
    /// The lowercase form of an ASCII letter; any other byte unchanged.
    fileprivate var lowercasedASCII: UInt8 {
        (0x41...0x5A).contains(self) ? self | 0x20 : self
    }
}
