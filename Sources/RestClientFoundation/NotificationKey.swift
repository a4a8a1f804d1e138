// SPDX-License-Identifier: MIT

import RestClient

/// The keys of the `userInfo` dictionary of a `Notification.Name.restClientEvent`.
///
/// Keys that have no value for an event are absent.
public enum NotificationKey {
    /// The whole event, as a `ClientEvent`.
    ///
    /// Always present.
    public static let event = "event"

    /// The name of the event, as a `String` like `callSucceeded`.
    ///
    /// Always present.
    public static let kind = "kind"

    /// The time of the event, as a `Date`.
    ///
    /// Always present.
    public static let time = "time"

    /// The call's identifier, as a `CallID`.
    public static let callID = "callID"

    /// The group's identifier, as a `GroupID`.
    public static let groupID = "groupID"

    /// The caller's own identifier, as a `String`.
    public static let callIdentifier = "callIdentifier"

    /// The alias of the API operation, as a `String`.
    public static let api = "api"

    /// The alias of the server, as a `String`.
    public static let server = "server"

    /// The path template, as a `String`.
    public static let endpoint = "endpoint"

    /// The HTTP method, as a `String`.
    public static let method = "method"

    /// The URL with secrets masked, as a `String`.
    public static let url = "url"

    // MARK: - Values of single kinds

    /// The number of the attempt, as an `Int`; with `attemptStarted`, `attemptFinished`, `attemptFailed` and, for the
    /// next attempt, `retryDecided`.
    public static let attempt = "attempt"

    /// The status code, as an `Int`; with `callSucceeded`, `attemptFinished`, and failures with a response.
    public static let status = "status"

    /// The URL of the redirect, as a `String`; with `redirected`.
    public static let redirectURL = "redirectURL"

    /// The error, as an `any Error`; with `callFailed`, `attemptFailed`, `retryDecided`, `retrySuppressed`,
    /// `localJobFailed` and `cacheFailed`.
    public static let error = "error"

    /// The raw value of the error's `FailureClass`, as a `String`; with `callFailed`, `attemptFailed`, `retryDecided`,
    /// `retrySuppressed` and `localJobFailed`.
    public static let failureClass = "failureClass"

    /// The delay before the next attempt, as a `Duration`; with `retryDecided`.
    public static let delay = "delay"

    /// The reason of a cache miss, or why an attempt is not retried, as a `String`; with `cacheMiss` and
    /// `retrySuppressed`.
    public static let reason = "reason"

    /// The model, in its own type; with `modelLoaded`.
    public static let model = "model"

    /// The source of the response, as a `String` like `network`; with `modelLoaded` and `callSucceeded`.
    public static let source = "source"

    /// The duration of the call, as a `Duration`; with `callSucceeded`.
    public static let duration = "duration"

    /// The age of the stored response, as a `Duration`; with `cacheHit` and `cacheStale`.
    public static let age = "age"

    /// The identifier of the dummy that responds, as a `DummyID`; with `dummyMatched`.
    public static let dummy = "dummy"

    /// The name of the local job, as a `String`; with `localJobStarted` and the ones that end it.
    public static let jobName = "jobName"

    /// The number of members of a group or nodes of a graph, as an `Int`; with `groupStarted` and `graphStarted`.
    public static let jobCount = "jobCount"

    /// `true` if some members of the group were never started, as a `Bool`; with `groupFinished`.
    public static let isStopped = "isStopped"

    /// The name of the graph, as a `String`; with `graphStarted` and `graphFinished`.
    public static let graphName = "graphName"

    /// The name of the node, as a `String`; with `nodeStarted` and `nodeFinished`.
    public static let nodeName = "nodeName"

    /// The status of the node, as a `String` like `skipped`; with `nodeFinished`.
    public static let nodeStatus = "nodeStatus"

    /// `true` if all nodes succeeded, as a `Bool`; with `graphFinished`.
    public static let isSuccess = "isSuccess"

    /// The key of the shared value, as a `String`; with `sharedDataUpdated` and `sharedDataRemoved`.
    public static let sharedDataKey = "sharedDataKey"

    /// The identifier of a custom event, as a `String`; with `custom`.
    public static let customIdentifier = "customIdentifier"

    /// The payload of a custom event, as a `[String: JSONValue]`; with `custom`.
    public static let payload = "payload"

    /// Returns the key of a value of an event.
    static func key(of detail: EventDetail.Key) -> String {
        switch detail {
        case .attempt: attempt
        case .status: status
        case .redirectURL: redirectURL
        case .error: error
        case .failureClass: failureClass
        case .delay: delay
        case .reason: reason
        case .model: model
        case .source: source
        case .duration: duration
        case .age: age
        case .dummy: dummy
        case .jobName: jobName
        case .jobCount: jobCount
        case .isStopped: isStopped
        case .graphName: graphName
        case .nodeName: nodeName
        case .nodeStatus: nodeStatus
        case .isSuccess: isSuccess
        case .sharedDataKey: sharedDataKey
        case .customIdentifier: customIdentifier
        case .payload: payload
        }
    }
}
