// SPDX-License-Identifier: MIT

public import HTTPTypes
public import JobGraphs
public import SharedStore

extension ClientEvent {
    /// A kind of event, with its values.
    ///
    /// Later versions may add cases: give a `switch` over it a `default`.
    public enum Kind: Sendable {
        // Calls
        /// A call began.
        case callStarted
        /// A call waits for a worker slot because all of them are taken.
        case callQueued
        /// A call waits for its turn at a server whose rate or number of calls is limited.
        case callHeldBack(server: String)
        /// Processes cannot share the rate limit of a server, because their file fails; the process keeps it alone.
        case rateLimitNotShared(server: String, StoreError)
        /// The circuit breaker of a server has changed its state.
        case circuitChanged(server: String, CircuitState)
        /// A ``ReachabilityProbe`` found that the state of a server has changed. The event belongs to no call.
        case reachabilityChanged(server: String, Reachability)
        /// A request takes long, and is sent a second time.
        case callHedged(after: Duration)
        /// The server failed, and the call tries another source, as in `server 'mirror'` or `cache`.
        case callFellBack(to: String, any Error)
        /// An attempt is sent to the network or to a dummy. The first one has the number 1.
        case attemptStarted(number: Int)
        /// An attempt received a response.
        case attemptFinished(number: Int, status: HTTPResponse.Status)
        /// An attempt failed before a response arrived. For a cancelled attempt the error is a `CancellationError`.
        case attemptFailed(number: Int, any Error)
        /// The server sent more than the response, as when its `Content-Length` is too small.
        ///
        /// The response is used without these bytes, which reach no other call, and its connection is closed. Only
        /// ``DirectTransport`` notices, over HTTP/1.1, and only bytes that come together with the end of the response.
        case surplusReceived
        /// The call follows a redirect. Secret-looking query items of the URL are masked.
        case redirected(url: String)
        /// The access token was refreshed, and the call continues with it. Only one of the calls that waited for it
        /// emits this.
        case tokenRefreshed
        /// Another attempt will be made after a delay, because of the error. `number` is that of the next attempt.
        ///
        /// A feed and a download emit this for each request after an interruption.
        case retryDecided(number: Int, delay: Duration, any Error)
        /// No other attempt will be made after the error, for the given reason.
        case retrySuppressed(RetrySuppression, any Error)
        /// A model is delivered to the caller, after the result handlers. A call that delivers two emits this for each.
        case modelLoaded(any Sendable, source: ResponseSource)
        /// The call ended with a model.
        case callSucceeded(status: HTTPResponse.Status, source: ResponseSource, duration: Duration)
        /// The call ended with an error; see ``ClientEvent/failureClass``.
        case callFailed(any Error)
        /// The call was cancelled.
        case callCancelled

        // Cache
        /// The cache serves a response with this age.
        case cacheHit(age: Duration)
        /// The cache has a response with this age, which is too old for the call.
        case cacheStale(age: Duration)
        /// The cache has no usable response for the call.
        case cacheMiss(CacheMissReason)
        /// The server confirmed with 304 that the stored response has not changed.
        case notModified
        /// The stored response, which the server confirmed, is fresh again.
        case cacheRevalidated
        /// The response was stored.
        case cacheStored
        /// A stored response was removed.
        case cacheRemoved
        /// An unsafe call invalidated stored responses: they must be validated before they are used again.
        case cacheInvalidated
        /// The call shares the response of an equal call that was under way.
        case callShared
        /// The cache failed. The call continued without it.
        case cacheFailed(StoreError)

        // Dummies
        /// A dummy responds instead of the server.
        case dummyMatched(DummyID)
        /// Dummies are enabled, but none matches.
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
        /// All members of a group have ended, with these outcomes.
        case groupFinished(GroupReport<any Sendable>)
        /// A run of a graph began.
        case graphStarted(name: String, count: Int)
        /// A node of a graph began. Its calls and jobs emit further events.
        case nodeStarted(name: String)
        /// A node of a graph has ended, or will not begin.
        case nodeFinished(name: String, status: RunReport.Status)
        /// All nodes of a graph have ended, in this run.
        case graphFinished(GraphRun)

        // Transfers
        /// A body of a call has come further; only if ``CallConfigurable/progressEvents(_:)`` asks for it.
        case progressed(CallProgress)

        // WebSockets
        /// A WebSocket is open, with the subprotocol that the server chose, if it chose one.
        case webSocketOpened(subprotocol: String?)
        /// A message was taken from a WebSocket or passed to it; `number` counts those of one direction from 1.
        case webSocketMessage(CallProgress.Direction, bytes: Int, number: Int)
        /// A WebSocket has ended; comes directly before the last event of its call, or before a feed connects again.
        ///
        /// `code` is that of RFC 6455, 1006 for a connection that was cut.
        case webSocketClosed(code: Int, isByServer: Bool)
        /// A feed opens its WebSocket again after a delay, because of the error, or of a close without one.
        case webSocketReconnecting(delay: Duration, (any Error)?)

        // Shared data
        /// A shared value was set, here or by another process.
        case sharedDataUpdated(key: String)
        /// A shared value was removed, here or by another process.
        case sharedDataRemoved(key: String)

        /// A custom event; see ``RestClientManager/emit(_:payload:)``.
        case custom(identifier: String, payload: [String: JSONValue])
    }
}
