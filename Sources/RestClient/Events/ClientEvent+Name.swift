// SPDX-License-Identifier: MIT

extension ClientEvent {
    /// The name of a kind of event, without what comes with it: for filters, logs and metrics.
    ///
    /// The raw value is the name of the case, and never changes.
    public enum Name: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
        /// A call began.
        case callStarted
        /// A call waits for a worker slot.
        case callQueued
        /// An attempt goes out.
        case attemptStarted
        /// An attempt brought a response.
        case attemptFinished
        /// An attempt brought no response.
        case attemptFailed
        /// The server redirected, and the call follows.
        case redirected
        /// A new access token is there.
        case tokenRefreshed
        /// Another try will be made.
        case retryDecided
        /// No other attempt will be made.
        case retrySuppressed
        /// A model is there for the caller.
        case modelLoaded
        /// The call ended with a model.
        case callSucceeded
        /// The call ended with an error.
        case callFailed
        /// The call was cancelled.
        case callCancelled
        /// The cache answered.
        case cacheHit
        /// What the cache holds is too old.
        case cacheStale
        /// The cache holds nothing.
        case cacheMiss
        /// The server confirmed the stored response.
        case notModified
        /// The stored response counts as fresh again.
        case cacheRevalidated
        /// The response was stored.
        case cacheStored
        /// A stored response was removed.
        case cacheRemoved
        /// Stored responses must be confirmed.
        case cacheInvalidated
        case callShared
        /// The cache failed.
        case cacheFailed
        /// A dummy answers.
        case dummyMatched
        /// No dummy answers.
        case dummyUnmatched
        /// A local job began.
        case localJobStarted
        /// A local job ended with a value.
        case localJobSucceeded
        /// A local job ended with an error.
        case localJobFailed
        /// A local job was cancelled.
        case localJobCancelled
        /// A group began.
        case groupStarted
        /// All members of a group have ended.
        case groupFinished
        /// A run of a graph began.
        case graphStarted
        /// A node of a graph began.
        case nodeStarted
        /// A node of a graph ended, or will not begin.
        case nodeFinished
        /// All nodes of a graph have ended.
        case graphFinished
        /// A shared value was set.
        case sharedDataUpdated
        /// A shared value was removed.
        case sharedDataRemoved
        /// An event of the user's own.
        case custom

        /// The name of the case.
        public var description: String { rawValue }
    }
}

extension ClientEvent.Kind {
    /// The name of the case, without what comes with it.
    public var name: ClientEvent.Name {
        switch self {
        case .callStarted: .callStarted
        case .callQueued: .callQueued
        case .attemptStarted: .attemptStarted
        case .attemptFinished: .attemptFinished
        case .attemptFailed: .attemptFailed
        case .redirected: .redirected
        case .tokenRefreshed: .tokenRefreshed
        case .retryDecided: .retryDecided
        case .retrySuppressed: .retrySuppressed
        case .modelLoaded: .modelLoaded
        case .callSucceeded: .callSucceeded
        case .callFailed: .callFailed
        case .callCancelled: .callCancelled
        case .cacheHit: .cacheHit
        case .cacheStale: .cacheStale
        case .cacheMiss: .cacheMiss
        case .notModified: .notModified
        case .cacheRevalidated: .cacheRevalidated
        case .cacheStored: .cacheStored
        case .cacheRemoved: .cacheRemoved
        case .cacheInvalidated: .cacheInvalidated
        case .callShared: .callShared
        case .cacheFailed: .cacheFailed
        case .dummyMatched: .dummyMatched
        case .dummyUnmatched: .dummyUnmatched
        case .localJobStarted: .localJobStarted
        case .localJobSucceeded: .localJobSucceeded
        case .localJobFailed: .localJobFailed
        case .localJobCancelled: .localJobCancelled
        case .groupStarted: .groupStarted
        case .groupFinished: .groupFinished
        case .graphStarted: .graphStarted
        case .nodeStarted: .nodeStarted
        case .nodeFinished: .nodeFinished
        case .graphFinished: .graphFinished
        case .sharedDataUpdated: .sharedDataUpdated
        case .sharedDataRemoved: .sharedDataRemoved
        case .custom: .custom
        }
    }
}
