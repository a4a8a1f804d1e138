// SPDX-License-Identifier: MIT

public import JobGraphs

/// A call that has begun and has not ended.
public struct RunningCall: Sendable, Identifiable {
    /// The identifier of the call.
    public var id: CallID { call.id }

    /// The group that the call belongs to, if any.
    public var groupID: GroupID? { call.groupID }

    /// The request, without credentials.
    ///
    /// Before the request is built, its URL is `nil`.
    public var request: RequestSummary { call.summary }

    /// The tags of the call, from all levels.
    public var tags: Set<String> { call.options[.tags] ?? [] }

    /// The type of the call's model.
    public let model: Any.Type

    /// The number of attempts on the wire so far.
    public var attempts: Int { call.attempts }

    let call: any DescribedCall
}

extension RunningCall: CustomStringConvertible {
    /// The identifier of the call and its request.
    public var description: String { "\(id): \(request)" }
}

/// A call as a list of calls shows it.
protocol DescribedCall: Sendable {
    var id: CallID { get }
    var groupID: GroupID? { get }
    var summary: RequestSummary { get }
    var api: String? { get }
    var server: ServerAlias? { get }
    var options: CallOptions { get }
    var attempts: Int { get }
}

extension CallContext: DescribedCall {}

/// The description of a call before its request is built.
struct AnnouncedCall: DescribedCall {
    let id: CallID
    let groupID: GroupID?
    let summary: RequestSummary
    let api: String?
    let server: ServerAlias?
    /// The options of all levels, or only the node's if its target cannot be resolved.
    let options: CallOptions

    var attempts: Int { 0 }
}
