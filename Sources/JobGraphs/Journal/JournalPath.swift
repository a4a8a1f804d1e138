// SPDX-License-Identifier: MIT

struct JournalPath: Sendable, Hashable {
    /// The unique key of the path in the run, whatever characters the names contain.
    let key: String
    let name: String

    static let root = JournalPath(key: "", name: "")

    func node(_ name: String) -> JournalPath {
        guard !key.isEmpty else {
            return JournalPath(key: Self.escaped(name), name: name)
        }
        return JournalPath(key: "\(key)/\(Self.escaped(name))", name: "\(self.name)/\(name)")
    }

    /// Returns the path of an element of the loop at this path; the digest identifies it, and the index is only
    /// displayed.
    func element(_ digest: String, at index: Int) -> JournalPath {
        JournalPath(key: "\(key)[\(digest.prefix(32))]", name: "\(name)[\(index)]")
    }

    func compensation(_ name: String) -> JournalPath {
        JournalPath(key: "\(key)~", name: name)
    }

    func holds(_ other: String) -> Bool {
        // By bytes: a name may begin with a combining mark, which merges with the separator before it.
        let (own, others) = (key.utf8, other.utf8)
        guard others.starts(with: own), let separator = others.dropFirst(own.count).first else {
            return false
        }
        return separator == UInt8(ascii: "/") || separator == UInt8(ascii: "[")
    }

    /// Returns the key of the node of the graph at this path that a key belongs to, and whether that is an element of
    /// the node; `nil` if the key is not inside of the graph.
    func owner(of other: String) -> (key: String, isElement: Bool)? {
        let beginning = key.isEmpty ? "" : "\(key)/"
        guard other.utf8.starts(with: beginning.utf8) else {
            return nil
        }
        let rest = other.utf8.dropFirst(beginning.utf8.count)
        let end = rest.firstIndex { $0 != UInt8(ascii: "%") && Self.separators.contains($0) } ?? rest.endIndex
        let isElement = end < rest.endIndex && rest[end] == UInt8(ascii: "[")
        return (String(decoding: other.utf8[..<end], as: UTF8.self), isElement)
    }

    private static func escaped(_ name: String) -> String {
        guard name.utf8.contains(where: { separators.contains($0) }) else {
            return name
        }
        return name.unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.isASCII, separators.contains(UInt8(scalar.value)) {
                text += "%" + String(scalar.value, radix: 16)
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }

    private static let separators = Array("%/[~".utf8)
}

/// Part of a run with a record of its own: a node, an element of a loop, or a compensation.
struct JournalEntry: Sendable {
    let path: JournalPath
    let inputs: String
    let output: any Sendable.Type
    let unknownOutcome: UnknownOutcome
}
