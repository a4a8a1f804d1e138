// SPDX-License-Identifier: MIT

public import JobGraphs

/// A call that has begun and has not ended.
public struct RunningCall: Sendable, Identifiable {
    /// The identifier of the call.
    public var id: CallID { context.id }

    /// The group that the call belongs to, if any.
    public var groupID: GroupID? { context.groupID }

    /// The request, without credentials.
    public var request: RequestSummary { context.summary }

    /// The tags of the call, from all levels.
    public var tags: Set<String> { context.policy.options[.tags] ?? [] }

    /// The type of the call's model.
    public let model: Any.Type

    /// The number of attempts on the wire so far.
    public var attempts: Int { context.attempts }

    let context: CallContext
}

extension RunningCall: CustomStringConvertible {
    /// The identifier of the call and its request.
    public var description: String { "\(id): \(request)" }
}
