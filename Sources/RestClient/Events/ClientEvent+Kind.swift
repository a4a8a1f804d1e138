// SPDX-License-Identifier: MIT

public import HTTPTypes
public import SharedStore

extension ClientEvent {
    /// What can happen.
    ///
    /// More cases may come with later versions: give a `switch` over it a `default`.
    public enum Kind: Sendable {
        // Calls
        /// A call began.
        case callStarted
        /// A try goes out to the network or to a dummy; the first one has the number 1.
        case attemptStarted(number: Int)
        /// A try brought an answer.
        case attemptFinished(number: Int, status: HTTPResponse.Status)
        /// The server redirected, and the call follows; secret-looking query items of the URL are masked.
        case redirected(url: String)
        /// The call ended with a model.
        case callSucceeded(status: HTTPResponse.Status, source: ResponseSource, duration: Duration)
        /// The call ended with an error.
        case callFailed(any Error)
        /// The call was cancelled.
        case callCancelled

        // Cache
        /// The cache answered with an entry of that age.
        case cacheHit(age: Duration)
        /// The cache did not answer.
        case cacheMiss(CacheMissReason)
        /// The server confirmed with 304 that the stored answer is still the same.
        case notModified
        /// The answer was stored.
        case cacheStored
        /// A stored answer was removed.
        case cacheRemoved
        /// The cache failed; the call went on without it.
        case cacheFailed(StoreError)

        // Dummies
        /// A dummy answers in the server's place.
        case dummyMatched(DummyResponder.ID)
        /// Dummies are enabled, and none matches.
        case dummyUnmatched

        // Jobs and groups
        /// A local job began.
        case localJobStarted(name: String)
        /// A local job ended with a value.
        case localJobSucceeded(name: String)
        /// A local job ended with an error.
        case localJobFailed(name: String, any Error)
        /// A local job was cancelled.
        case localJobCancelled(name: String)
        /// A group began.
        case groupStarted(count: Int)
        /// All members of a group have ended; `isStopped` says that some were never started.
        case groupFinished(isStopped: Bool)
        /// A run of a graph began.
        case graphStarted(name: String, count: Int)
        /// A node of a graph began; its calls and jobs tell of themselves.
        case nodeStarted(name: String)
        /// A node of a graph ended, or will not begin.
        case nodeFinished(name: String, status: RunReport.Status)
        /// All nodes of a graph have ended.
        case graphFinished(name: String, isSuccess: Bool)

        // Shared data
        /// A shared value was set, here or by another process.
        case sharedDataUpdated(key: String)
        /// A shared value was removed, here or by another process.
        case sharedDataRemoved(key: String)

        /// An event of the user's own; see ``RestClientManager/emit(_:payload:)``.
        case custom(identifier: String, payload: [String: JSONValue])
    }
}

extension ClientEvent.Kind {
    /// The name of the case, which never changes: for logs, metrics and filters.
    public var name: String {
        switch self {
        case .callStarted: "callStarted"
        case .attemptStarted: "attemptStarted"
        case .attemptFinished: "attemptFinished"
        case .redirected: "redirected"
        case .callSucceeded: "callSucceeded"
        case .callFailed: "callFailed"
        case .callCancelled: "callCancelled"
        case .cacheHit: "cacheHit"
        case .cacheMiss: "cacheMiss"
        case .notModified: "notModified"
        case .cacheStored: "cacheStored"
        case .cacheRemoved: "cacheRemoved"
        case .cacheFailed: "cacheFailed"
        case .dummyMatched: "dummyMatched"
        case .dummyUnmatched: "dummyUnmatched"
        case .localJobStarted: "localJobStarted"
        case .localJobSucceeded: "localJobSucceeded"
        case .localJobFailed: "localJobFailed"
        case .localJobCancelled: "localJobCancelled"
        case .groupStarted: "groupStarted"
        case .groupFinished: "groupFinished"
        case .graphStarted: "graphStarted"
        case .nodeStarted: "nodeStarted"
        case .nodeFinished: "nodeFinished"
        case .graphFinished: "graphFinished"
        case .sharedDataUpdated: "sharedDataUpdated"
        case .sharedDataRemoved: "sharedDataRemoved"
        case .custom: "custom"
        }
    }
}
