// SPDX-License-Identifier: MIT

/// The keys of the `userInfo` dictionary that comes with `Notification.Name.restClientEvent`.
///
/// Keys without a value for an event are absent.
public enum NotificationKey {
    /// The whole event, as a `ClientEvent`; there for every event.
    public static let event = "event"

    /// The name of what happened, as a `String` like `callSucceeded`; there for every event.
    public static let kind = "kind"

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

    /// The status code, as an `Int`; with `callSucceeded`, `attemptFinished`, and failures that the server answered.
    public static let status = "status"

    /// The error, as an `any Error`; with `callFailed`, `localJobFailed` and `cacheFailed`.
    public static let error = "error"

    /// The name of the local job, as a `String`.
    public static let jobName = "jobName"

    /// The key of the shared value, as a `String`.
    public static let sharedDataKey = "sharedDataKey"

    /// Whether members of the group were never started, as a `Bool`; with `groupFinished`.
    public static let isStopped = "isStopped"

    /// The identifier of a custom event, as a `String`.
    public static let customIdentifier = "customIdentifier"

    /// The payload of a custom event, as a `[String: JSONValue]`.
    public static let payload = "payload"
}
