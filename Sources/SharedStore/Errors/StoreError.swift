// SPDX-License-Identifier: MIT

public import RestEssentials

/// An error of the store: what went wrong, where, and what to do about it.
///
/// Branch on ``code-swift.property``. Any release may add codes, so a `switch` over them needs a `default`. The text
/// never contains a stored value or a key's secret.
public struct StoreError: Error, Sendable {
    /// The kind of the error.
    public let code: Code

    /// The reason, as a sentence without a full stop.
    public let reason: String

    /// The path of the file or folder, if the error concerns one.
    public private(set) var file: String?

    /// The key of the row, if the error concerns one.
    public private(set) var key: String?

    /// Advice for the developer.
    public let advice: String

    /// The extended result code of SQLite, if SQLite reported the error.
    public let sqliteCode: Int32?

    /// The underlying error, for example of a codec or a decoder.
    public let underlying: (any Error)?

    /// Creates an error, with the code's own advice by default.
    package init(
        _ code: Code,
        _ reason: String,
        file: String? = nil,
        key: String? = nil,
        advice: String? = nil,
        sqliteCode: Int32? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.reason = MessageText.of(reason)
        self.file = file
        self.key = key
        self.advice = advice ?? code.advice
        self.sqliteCode = sqliteCode
        self.underlying = underlying
    }

    /// Returns the error with the location added where it is unknown.
    func located(file: String? = nil, key: String? = nil) -> StoreError {
        var error = self
        error.file = self.file ?? file
        error.key = self.key ?? key
        return error
    }
}

extension StoreError {
    /// Runs code of a user or of another library, and wraps its error in a ``StoreError``.
    static func wrapping<Value>(
        _ code: Code,
        _ reason: @autoclosure () -> String,
        key: String? = nil,
        _ body: () throws -> Value
    ) throws(StoreError) -> Value {
        do {
            return try body()
        } catch let error as StoreError {
            throw error.located(key: key)
        } catch {
            throw StoreError(code, reason(), key: key, underlying: error)
        }
    }
}

extension StoreError: CustomStringConvertible {
    /// One line with the code, the reason, the location and the advice.
    public var description: String {
        MessageText.of("\(facts). \(advice)", limit: 2 * MessageText.messageLimit)
    }

    private var facts: String {
        var text = "\(code): \(reason)"
        if let key { text += " [key \"\(key)\"]" }
        if let file { text += " [file \(file)]" }
        if let sqliteCode { text += " [SQLite \(sqliteCode)]" }
        if let cause { text += " [because: \(MessageText.of(cause))]" }
        return text
    }

    /// The underlying error in words; `nil` if the reason says the same.
    private var cause: String? {
        var next = underlying
        while let error = next as? StoreError, reason.utf8.firstRange(of: error.reason.utf8) != nil {
            next = error.underlying
        }
        return next.map { ($0 as? StoreError)?.facts ?? "\($0)" }
    }
}

extension StoreError: LocalizedError {
    /// The ``reason``, which `localizedDescription` returns.
    public var errorDescription: String? { reason }

    /// The ``advice``.
    public var recoverySuggestion: String? { advice }
}

/// The reason for an error that says nothing about the bytes: there was no memory to work on them.
package struct OutOfMemory: Error {
    package init() {}
}
