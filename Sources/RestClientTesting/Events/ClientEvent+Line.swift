// SPDX-License-Identifier: MIT

public import RestClient

extension ClientEvent {
    /// A short description of the event for literal lists of expected events: the name of its kind, and the values that
    /// distinguish it from others of that kind.
    ///
    /// | kind | line |
    /// |---|---|
    /// | an attempt | `attemptStarted 1`, `attemptFinished 1 200`, `attemptFailed 1 timeout` |
    /// | a retry | `retryDecided 2 timeout`, `retrySuppressed attemptsExhausted timeout` |
    /// | a redirect | `redirected https://…` |
    /// | the end of a call | `callSucceeded 200 network`, `callFailed timeout` |
    /// | the cache | `cacheHit 0` and `cacheStale 90` with the age in whole seconds, `cacheMiss absent` |
    /// | a dummy | `dummyMatched`, `dummyUnmatched` |
    /// | a local job | `localJobStarted name`, `localJobFailed name timeout` |
    /// | a group | `groupStarted 3`, `groupFinished`, `groupFinished stopped` |
    /// | a graph and its nodes | `graphStarted name 3`, `nodeFinished name success`, `graphFinished name failure` |
    /// | shared data | `sharedDataUpdated key` |
    /// | a custom event | `custom name` |
    /// | all others | the name alone |
    ///
    /// Errors of the library are shown by their codes, others by their descriptions. Durations are omitted, because
    /// they vary.
    public var line: String {
        ([kind.name.rawValue] + kind.details.compactMap(\.word)).joined(separator: " ")
    }
}
