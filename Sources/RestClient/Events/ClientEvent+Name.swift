// SPDX-License-Identifier: MIT

extension ClientEvent {
    /// The name of a ``Kind-swift.enum``, without its values: for filters, logs and metrics.
    ///
    /// Each case corresponds to the case with the same name there. The raw value is the name of the case, and never
    /// changes.
    public enum Name: String, Sendable, Hashable, CaseIterable {
        case callStarted, callQueued, callHeldBack, circuitChanged, reachabilityChanged, callHedged, callFellBack
        case rateLimitNotShared
        case attemptStarted, attemptFinished, attemptFailed, surplusReceived, redirected, tokenRefreshed
        case retryDecided, retrySuppressed, modelLoaded, callSucceeded, callFailed, callCancelled
        case cacheHit, cacheStale, cacheMiss, notModified, cacheRevalidated, cacheStored, cacheRemoved, cacheInvalidated
        case callShared, cacheFailed
        case dummyMatched, dummyUnmatched
        case localJobStarted, localJobSucceeded, localJobFailed, localJobCancelled
        case groupStarted, groupFinished, graphStarted, nodeStarted, nodeFinished, graphFinished
        case progressed
        case webSocketOpened, webSocketMessage, webSocketClosed, webSocketReconnecting
        case sharedDataUpdated, sharedDataRemoved
        case custom
    }
}
