// SPDX-License-Identifier: MIT

/// Header lines, in the order and the spelling they have on the wire; lines of the same name stay apart.
///
/// ```swift
/// var headers: LoopbackHeaders = ["Content-Type": "text/plain", "Set-Cookie": "a=1"]
/// headers.append("Set-Cookie", "b=2")
/// headers["content-type"]             // "text/plain": names compare without regard to case
/// headers.values("set-cookie")        // ["a=1", "b=2"]
/// ```
public struct LoopbackHeaders: Hashable, Sendable {
    /// One header line.
    public struct Line: Hashable, Sendable {
        /// The name, as spelled by whoever sent it.
        public var name: String
        /// The value, without the white space around it.
        public var value: String

        /// Creates a line.
        ///
        /// - Parameters:
        ///   - name: The header's name.
        ///   - value: Its value, sent as it is: nothing is checked or escaped.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The lines, first to last.
    public var lines: [Line]

    /// Creates headers.
    ///
    /// - Parameter lines: The lines, first to last.
    public init(_ lines: [Line] = []) {
        self.lines = lines
    }

    /// The value of the first line of this name; setting it replaces all of them, `nil` removes them.
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

    /// The values of all lines of a name, first to last.
    ///
    /// - Parameter name: The header's name, in any case.
    /// - Returns: One value a line; empty when there is none.
    public func values(_ name: String) -> [String] {
        lines.filter { line in line.name.isSameToken(as: name) }.map(\.value)
    }

    /// Adds a line after those that are there, whatever their names.
    ///
    /// - Parameters:
    ///   - name: The header's name.
    ///   - value: Its value.
    public mutating func append(_ name: String, _ value: String) {
        lines.append(Line(name, value))
    }

    /// Whether a comma-separated list header holds a word, in any case.
    func hasToken(_ token: String, in name: String) -> Bool {
        values(name)
            .flatMap { value in value.split(separator: ",") }
            .contains { part in
                String(part.drop { $0 == " " }.prefix { $0 != " " && $0 != ";" }).isSameToken(as: token)
            }
    }
}

extension LoopbackHeaders: ExpressibleByDictionaryLiteral {
    /// Creates headers from a literal, which may name a header more than once.
    ///
    /// - Parameter elements: Names and values, first to last.
    public init(dictionaryLiteral elements: (String, String)...) {
        lines = elements.map { name, value in Line(name, value) }
    }
}

extension LoopbackHeaders: CustomStringConvertible {
    /// The lines as they stand in an HTTP/1.1 message, without the line break after the last.
    public var description: String {
        lines.map { line in "\(line.name): \(line.value)" }.joined(separator: "\r\n")
    }
}

extension String {
    /// Whether two names are the same when case is left out of account, as HTTP compares them.
    func isSameToken(as other: String) -> Bool {
        utf8.count == other.utf8.count
            && zip(utf8, other.utf8).allSatisfy { left, right in left.lowercasedASCII == right.lowercasedASCII }
    }
}

extension UInt8 {
    /// The lower-case form of an ASCII letter; any other byte as it is.
    fileprivate var lowercasedASCII: UInt8 {
        (0x41...0x5A).contains(self) ? self | 0x20 : self
    }
}
