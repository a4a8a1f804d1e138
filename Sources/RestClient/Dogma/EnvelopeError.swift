// SPDX-License-Identifier: MIT

public import RestEssentials

/// The failure that the envelope of a response reports.
public struct EnvelopeError: Error, Sendable, Hashable, MirroredByDescription {
    /// The code, as text.
    public let code: String

    /// The message, if there is one.
    public let message: String?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The code, as text.
    ///   - message: The message.
    public init(code: String, message: String?) {
        self.code = code
        self.message = message
    }

    /// The code and the message.
    public var description: String {
        let text = "the server responded with code \(Redaction.text(code))"
        return MessageText.of(text + (message.map { ": \(Redaction.text($0))" } ?? ""))
    }
}

extension EnvelopeError: LocalizedError {
    /// The ``message``, or else the description, which `localizedDescription` returns.
    public var errorDescription: String? { message.map { MessageText.of(Redaction.text($0)) } ?? description }
}
