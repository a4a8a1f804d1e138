// SPDX-License-Identifier: MIT

/// The place of a record in a run: the names of the nodes around it, and its own.
struct JournalPath: Sendable, Hashable {
    /// Tells it apart from everything else in the run, whatever characters the names have.
    let key: String
    /// The same for people.
    let name: String

    /// The path of the nodes of a run.
    static let root = JournalPath(key: "", name: "")

    /// A node of the graph here.
    func node(_ name: String) -> JournalPath {
        guard !key.isEmpty else {
            return JournalPath(key: Self.escaped(name), name: name)
        }
        return JournalPath(key: "\(key)/\(Self.escaped(name))", name: "\(self.name)/\(name)")
    }

    /// An element of the loop here, known by what it is; its place is only for people.
    func element(_ digest: String, at index: Int) -> JournalPath {
        JournalPath(key: "\(key)[\(digest.prefix(32))]", name: "\(name)[\(index)]")
    }

    /// Returns the path of the compensation of the node here.
    func compensation(_ name: String) -> JournalPath {
        JournalPath(key: "\(key)~", name: name)
    }

    /// Returns true if a key belongs to something inside the node here.
    func holds(_ other: String) -> Bool {
        other.hasPrefix("\(key)/") || other.hasPrefix("\(key)[")
    }

    /// A name without the characters that stand between names.
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
