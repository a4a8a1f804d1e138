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
        /// A call waits for a worker slot, because all of them are taken.
        case callQueued
        /// An attempt goes out to the network or to a dummy; the first one has the number 1.
        case attemptStarted(number: Int)
        /// An attempt brought a response.
        case attemptFinished(number: Int, status: HTTPResponse.Status)
        /// An attempt brought no response; the error of a cancelled one is a `CancellationError`.
        case attemptFailed(number: Int, any Error)
        /// The server redirected, and the call follows; secret-looking query items of the URL are masked.
        case redirected(url: String)
        /// A new access token is there, and the call goes on with it; one of the calls that waited for it tells.
        case tokenRefreshed
        /// Another try will be made after a pause, because of the error; `number` is that of the try to come.
        case retryDecided(number: Int, delay: Duration, any Error)
        /// No other attempt will be made after the error, for the reason given.
        case retrySuppressed(RetrySuppression, any Error)
        /// A model is there for the caller, as the result handlers left it; a call that delivers two tells of each.
        case modelLoaded(any Sendable, source: ResponseSource)
        /// The call ended with a model.
        case callSucceeded(status: HTTPResponse.Status, source: ResponseSource, duration: Duration)
        /// The call ended with an error; see ``ClientEvent/failureClass``.
        case callFailed(any Error)
        /// The call was cancelled.
        case callCancelled

        // Cache
        /// The cache answered with an entry of that age.
        case cacheHit(age: Duration)
        /// The cache holds a response of that age, which is too old for the call.
        case cacheStale(age: Duration)
        /// The cache holds nothing for the call.
        case cacheMiss(CacheMissReason)
        /// The server confirmed with 304 that the stored response is still the same.
        case notModified
        /// The stored response, which the server confirmed, counts as fresh again.
        case cacheRevalidated
        /// The response was stored.
        case cacheStored
        /// A stored response was removed.
        case cacheRemoved
        /// A call changed something, and stored responses must be confirmed before they are used again.
        case cacheInvalidated
        /// The response is that of an equal call which was under way.
        case callShared
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
