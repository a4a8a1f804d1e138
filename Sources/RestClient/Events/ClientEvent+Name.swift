// SPDX-License-Identifier: MIT

import JobGraphs

extension ClientEvent {
    /// The name of a ``Kind-swift.enum``, without its values: for filters, logs and metrics.
    ///
    /// Each case means what the case of that name means there. The raw value is the name of the case, and never
    /// changes.
    public enum Name: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
        case callStarted, callQueued, attemptStarted, attemptFinished, attemptFailed, redirected, tokenRefreshed
        case retryDecided, retrySuppressed, modelLoaded, callSucceeded, callFailed, callCancelled
        case cacheHit, cacheStale, cacheMiss, notModified, cacheRevalidated, cacheStored, cacheRemoved, cacheInvalidated
        case callShared, cacheFailed
        case dummyMatched, dummyUnmatched
        case localJobStarted, localJobSucceeded, localJobFailed, localJobCancelled
        case groupStarted, groupFinished, graphStarted, nodeStarted, nodeFinished, graphFinished
        case sharedDataUpdated, sharedDataRemoved
        case custom

        /// The name of the case.
        public var description: String { rawValue }
    }
}

extension ClientEvent.Kind {
    /// The name of the case, without its values.
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
