// SPDX-License-Identifier: MIT

import RestEssentials

/// A call that reached a registry of dummies, whether one of them responded or not.
public struct DummyCall: Sendable, MirroredByDescription {
    /// The number of the call in its registry, from 1, in the order in which calls were matched.
    public let number: Int

    /// The request, including its credentials.
    ///
    /// Descriptions mask them.
    public internal(set) var request: DummyRequest

    /// The dummy that responded; `nil` if none did.
    public let responder: DummyResponder?

    package let mode: DummyMode

    /// The sentence about the nearest dummies with which the call failed; `nil` unless dummies were strict.
    package let nearest: String?

    let context: DummyContext

    /// The number, the method and the URL with secrets masked, and the dummy that responded, if one did.
    public var description: String {
        let call = "#\(number) \(request.method.rawValue) \(Redaction.url(request.url))"
        return MessageText.of(responder.map { "\(call) ('\($0)')" } ?? call)
    }
}
