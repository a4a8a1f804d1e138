// SPDX-License-Identifier: MIT

public import RestEssentials

/// Something that happened in a manager.
///
/// Every call brings ``Kind-swift.enum/callStarted`` first, then what happened, then exactly one of
/// ``Kind-swift.enum/callSucceeded(status:source:duration:)``, ``Kind-swift.enum/callFailed(_:)`` and
/// ``Kind-swift.enum/callCancelled``. A group's ``Kind-swift.enum/groupFinished(isStopped:)`` comes after the last event of
/// all its members.
///
/// What the library says in events holds no credentials: see ``RequestSummary``. Models and the payload of custom events are
/// handed over as they are, but left out of the description.
public struct ClientEvent: Sendable {
    /// What happened.
    public let kind: Kind

    /// The call it happened to; `nil` for events that concern no call.
    public let callID: CallID?

    /// The group that the call or job belongs to, if any.
    public let groupID: GroupID?

    /// The request it happened to; `nil` for events that concern no call.
    public let request: RequestSummary?

    /// What the call's time went into; `nil` for all events but the last of a call that came to a request.
    public let timings: CallTimings?

    /// When it happened, by the time of day.
    public let time: Date

    /// How long the manager had existed then, by its clock.
    ///
    /// It never goes back within a call: subtract two of them to get the time between.
    public internal(set) var uptime: Duration = .zero

    init(
        _ kind: Kind,
        callID: CallID? = nil,
        groupID: GroupID? = nil,
        request: RequestSummary? = nil,
        timings: CallTimings? = nil,
        time: Date = Date()
    ) {
        self.kind = kind
        self.callID = callID
        self.groupID = groupID
        self.request = request
        self.timings = timings
        self.time = time
    }

    /// Whether this is the last event of its call.
    public var isTerminal: Bool { kind.isTerminal }
}

extension ClientEvent.Kind {
    /// Whether nothing more happens to the call.
    var isTerminal: Bool {
        switch self {
        case .callSucceeded, .callFailed, .callCancelled: true
        default: false
        }
    }
}
