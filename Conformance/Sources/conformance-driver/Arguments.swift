// SPDX-License-Identifier: MIT

/// The words and options of a command line, taken one after the other.
struct Arguments {
    private var remaining: [String]

    init(_ arguments: some Sequence<String>) {
        remaining = Array(arguments)
    }

    /// Takes the next word that is no option.
    mutating func takeWord() -> String? {
        guard let first = remaining.first, !first.hasPrefix("--") else {
            return nil
        }
        return remaining.removeFirst()
    }

    /// Takes an option that stands alone; `true` when it is there.
    mutating func takeFlag(_ name: String) -> Bool {
        guard let index = remaining.firstIndex(of: name) else {
            return false
        }
        remaining.remove(at: index)
        return true
    }

    /// Takes an option with its value.
    mutating func takeValue(_ name: String) throws(UsageError) -> String? {
        guard let index = remaining.firstIndex(of: name) else {
            return nil
        }
        guard index + 1 < remaining.count else {
            throw UsageError(text: "\(name) needs a value")
        }
        defer { remaining.removeSubrange(index...index + 1) }
        return remaining[index + 1]
    }

    /// Takes an option whose value is a number.
    mutating func takeNumber(_ name: String) throws(UsageError) -> Int? {
        guard let text = try takeValue(name) else {
            return nil
        }
        guard let number = Int(text), number >= 0 else {
            throw UsageError(text: "\(name) needs a number, not '\(text)'")
        }
        return number
    }

    /// Refuses whatever was not taken.
    func end() throws(UsageError) {
        if let first = remaining.first {
            throw UsageError(text: "'\(first)' means nothing here")
        }
    }
}

/// An error in the command line.
struct UsageError: Error {
    let text: String
}
