// SPDX-License-Identifier: MIT

public import HTTPTypes
public import JobGraphs
public import RestEssentials

/// An event of a manager.
///
/// Each call emits ``Kind-swift.enum/callStarted`` first, then the events in between, then exactly one of
/// ``Kind-swift.enum/callSucceeded(status:source:duration:)``, ``Kind-swift.enum/callFailed(_:)`` and
/// ``Kind-swift.enum/callCancelled``. A group's ``Kind-swift.enum/groupFinished(_:)`` follows the last event of
/// all its members.
///
/// Events contain no credentials, see ``RequestSummary``. Models and the payloads of custom events are passed on as
/// they are, but are not part of the description.
public struct ClientEvent: Sendable {
    /// The kind of the event.
    public let kind: Kind

    /// The identifier of the event's call; `nil` if the event belongs to no call.
    public let callID: CallID?

    /// The group that the call or job belongs to, if any.
    public let groupID: GroupID?

    /// The request of the event's call; `nil` if the event belongs to no call.
    public let request: RequestSummary?

    /// The timings of the call; set only for the last event of a call that had a request.
    public let timings: CallTimings?

    /// The original error, if the caller's own code replaced it with the error of the event.
    public let cause: RestClientError?

    /// The value that the event is about, in its own type, if it has one.
    ///
    /// - ``Kind-swift.enum/callStarted``: the model or the body that the request was given; named values are a
    ///   `[String: JSONValue]`.
    /// - ``Kind-swift.enum/localJobSucceeded(name:)``: the result of the job.
    /// - ``Kind-swift.enum/cacheStored``: the model, if the program stored or changed it. That of a call is in
    ///   ``Kind-swift.enum/modelLoaded(_:source:)``.
    public let value: (any Sendable)?

    /// The model that a change of the cache replaced or removed, in its own type; decoded whenever it is read.
    ///
    /// Only ``RestClientManager/Cache`` reads what it changes, for ``Kind-swift.enum/cacheStored`` and
    /// ``Kind-swift.enum/cacheRemoved`` of one request, and only while there is an observer. It is `nil` if nothing was
    /// stored, and for the responses that calls store: they would be read for nothing else.
    public var oldValue: (any Sendable)? { readOldValue?() }

    typealias OldValue = @Sendable () -> (any Sendable)?

    private let readOldValue: OldValue?

    /// The header fields of the response with which a call succeeded; values of secret ones are masked.
    ///
    /// Those of a failure are in the response of its ``RestClientError``.
    public let responseFields: HTTPFields?

    /// The time of day of the event.
    public let time: Date

    /// The time since the manager's creation, on its clock.
    ///
    /// It never decreases within a call: the difference between two events is the time between them.
    public internal(set) var uptime: Duration = .zero

    init(
        _ kind: Kind,
        callID: CallID? = nil,
        groupID: GroupID? = nil,
        request: RequestSummary? = nil,
        timings: CallTimings? = nil,
        cause: RestClientError? = nil,
        value: (any Sendable)? = nil,
        oldValue readOldValue: OldValue? = nil,
        responseFields: HTTPFields? = nil,
        time: Date = Date()
    ) {
        self.kind = kind
        self.callID = callID
        self.groupID = groupID
        self.request = request
        self.timings = timings
        self.cause = cause
        self.value = value
        self.readOldValue = readOldValue
        self.responseFields = responseFields
        self.time = time
    }

    /// A Boolean value that indicates whether this is the last event of its call.
    public var isTerminal: Bool { kind.isTerminal }
}

extension ClientEvent.Kind {
    var isTerminal: Bool {
        switch self {
        case .callSucceeded, .callFailed, .callCancelled: true
        default: false
        }
    }
}

// Written explicitly, because Swift's default description would show models and payloads.

extension ClientEvent: MirroredByDescription {
    /// The call, the group, the kind and the request, without credentials.
    public var description: String {
        let ids = [callID?.description, groupID?.description].compactMap(\.self)
        let request = request.map { ["(\($0.description))"] } ?? []
        return (ids + [kind.description] + request).joined(separator: " ")
    }
}

extension ClientEvent.Kind: MirroredByDescription {
    /// The name of the kind and its values, without credentials.
    ///
    /// A model is represented by its type only.
    public var description: String {
        ([name.rawValue] + details.map { "\($0.key.rawValue)=\($0.text)" }).joined(separator: " ")
    }
}

extension ClientEvent {
    /// The class of the failure that the event reports; `nil` if it reports none.
    public var failureClass: FailureClass? {
        switch kind {
        case .callFailed(let error), .attemptFailed(_, let error), .localJobFailed(_, let error):
            // A call is classified by its original error, even if a handler replaced it.
            FailureClass(of: cause ?? error)
        case .callCancelled, .localJobCancelled: .cancelled
        default: nil
        }
    }
}
