// SPDX-License-Identifier: MIT

/// A call that came to a registry of dummies, answered by one of them or not.
public struct DummyCall: Sendable, CustomStringConvertible {
    /// The number of the call in its registry, from 1, in the order in which calls were matched.
    public let number: Int

    /// The request, with its credentials; descriptions mask them.
    public let request: DummyRequest

    /// The dummy that answered; `nil` when none did.
    public let responder: DummyResponder?

    /// The mode that held for the call.
    let mode: DummyMode

    /// What is needed to match the request once more.
    let context: DummyContext

    /// Number, method and URL with secrets masked, and who answered.
    public var description: String {
        let answer = responder.map { "'\($0)'" } ?? "no dummy"
        return "#\(number) \(request.method.rawValue) \(Redaction.url(request.url)) (\(answer))"
    }
}
