// SPDX-License-Identifier: MIT

/// An error of the store: what was wrong, where, and what to do about it.
///
/// Branch on ``code-swift.property``; new codes may be added in any release, so a `switch` over them needs a `default`.
/// The text never contains a stored value or a key's secret.
public struct StoreError: Error, Sendable {
    /// The kind of the error.
    public let code: Code

    /// What was wrong, as a sentence without its final stop.
    public let reason: String

    /// The path of the file or folder concerned, when there is one.
    public let file: String?

    /// The key of the row concerned, when there is one.
    public let key: String?

    /// What the reader can do about it.
    public let advice: String

    /// The extended result code of SQLite, when SQLite reported the error.
    public let sqliteCode: Int32?

    /// The error beneath this one, for example what a codec or a decoder threw.
    public let underlying: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of the error.
    ///   - reason: What was wrong.
    ///   - file: The path of the file or folder concerned.
    ///   - key: The key of the row concerned.
    ///   - advice: What to do about it; the default is the code's own advice.
    ///   - sqliteCode: The extended result code of SQLite.
    ///   - underlying: The error beneath this one.
    public init(
        _ code: Code,
        _ reason: String,
        file: String? = nil,
        key: String? = nil,
        advice: String? = nil,
        sqliteCode: Int32? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.reason = reason
        self.file = file
        self.key = key
        self.advice = advice ?? code.advice
        self.sqliteCode = sqliteCode
        self.underlying = underlying
    }

    /// Returns the same error with the place added where it is not known yet.
    func located(file: String? = nil, key: String? = nil) -> StoreError {
        StoreError(
            code,
            reason,
            file: self.file ?? file,
            key: self.key ?? key,
            advice: advice,
            sqliteCode: sqliteCode,
            underlying: underlying
        )
    }
}

extension StoreError: CustomStringConvertible {
    /// One line with the code, what was wrong, where, and what to do.
    public var description: String {
        var text = "\(code): \(reason)"
        if let key { text += " [key \"\(key)\"]" }
        if let file { text += " [file \(file)]" }
        if let sqliteCode { text += " [SQLite \(sqliteCode)]" }
        if let underlying { text += " [because: \(underlying)]" }
        return text + ". " + advice
    }
}
