// SPDX-License-Identifier: MIT

public import JobGraphs

/// A call that has begun and has not ended.
public struct RunningCall: Sendable, Identifiable {
    /// The description of a call before its request is built.
    struct Announcement: Sendable {
        let id: CallID
        let groupID: GroupID?
        let summary: RequestSummary
        let api: String?
        let server: ServerAlias?
        /// The options of all levels, or only the node's if its target cannot be resolved.
        let options: CallOptions
    }

    enum Source: Sendable {
        case announced(Announcement)
        case context(CallContext)
    }

    /// The identifier of the call.
    public var id: CallID {
        switch source {
        case .announced(let call): call.id
        case .context(let call): call.id
        }
    }

    /// The group that the call belongs to, if any.
    public var groupID: GroupID? {
        switch source {
        case .announced(let call): call.groupID
        case .context(let call): call.groupID
        }
    }

    /// The request, without credentials.
    ///
    /// Before the request is built, its URL is `nil`.
    public var request: RequestSummary {
        switch source {
        case .announced(let call): call.summary
        case .context(let call): call.summary
        }
    }

    /// The tags of the call, from all levels.
    public var tags: Set<String> {
        switch source {
        case .announced(let call): call.options[.tags] ?? []
        case .context(let call): call.policy.options[.tags] ?? []
        }
    }

    /// The type of the call's model.
    public let model: Any.Type

    /// The number of attempts on the wire so far.
    public var attempts: Int {
        switch source {
        case .announced: 0
        case .context(let call): call.attempts
        }
    }

    let source: Source

    var api: String? {
        switch source {
        case .announced(let call): call.api
        case .context(let call): call.api
        }
    }

    var server: ServerAlias? {
        switch source {
        case .announced(let call): call.server
        case .context(let call): call.server
        }
    }
}

extension RunningCall: CustomStringConvertible {
    /// The identifier of the call and its request.
    public var description: String { "\(id): \(request)" }
}
