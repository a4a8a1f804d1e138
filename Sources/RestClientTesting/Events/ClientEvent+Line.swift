// SPDX-License-Identifier: MIT

import JobGraphs
public import RestClient

extension ClientEvent {
    /// The event in a few words, for literal lists of expected events: the name of its kind, and what distinguishes it
    /// from others of that kind.
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
    /// Errors of the library are shown by their codes, others by their descriptions. Durations are left out, since they
    /// vary.
    public var line: String {
        ([kind.name.rawValue] + kind.distinctions).joined(separator: " ")
    }
}

extension ClientEvent.Kind {
    /// The words that distinguish an event from others of its kind.
    fileprivate var distinctions: [String] {
        switch self {
        case .attemptStarted(let number): ["\(number)"]
        case .attemptFinished(let number, let status): ["\(number)", "\(status.code)"]
        case .attemptFailed(let number, let error): ["\(number)", Self.word(error)]
        case .retryDecided(let number, _, let error): ["\(number)", Self.word(error)]
        case .retrySuppressed(let reason, let error): ["\(reason)", Self.word(error)]
        case .redirected(let url): [url]
        case .callSucceeded(let status, let source, _): ["\(status.code)", Self.word(source)]
        case .callFailed(let error): [Self.word(error)]
        case .cacheHit(let age), .cacheStale(let age): ["\(age.components.seconds)"]
        case .cacheMiss(let reason): ["\(reason)"]
        case .cacheFailed(let error): ["\(error.code)"]
        case .localJobStarted(let name), .localJobSucceeded(let name), .localJobCancelled(let name): [name]
        case .localJobFailed(let name, let error): [name, Self.word(error)]
        case .groupStarted(let count): ["\(count)"]
        case .groupFinished(let isStopped): isStopped ? ["stopped"] : []
        case .graphStarted(let name, let count): [name, "\(count)"]
        case .graphFinished(let name, let isSuccess): [name, isSuccess ? "success" : "failure"]
        case .nodeStarted(let name): [name]
        case .nodeFinished(let name, let status): [name, "\(status)"]
        case .sharedDataUpdated(let key), .sharedDataRemoved(let key): [key]
        case .custom(let identifier, _): [identifier]
        default: []
        }
    }

    private static func word(_ error: any Error) -> String {
        switch error {
        case is CancellationError: "cancelled"
        case let error as RestClientError: error.code.description
        case let error as JobGraphError: error.code.description
        default: "\(error)"
        }
    }

    private static func word(_ source: ResponseSource) -> String {
        switch source {
        case .network: "network"
        case .cache: "cache"
        case .revalidatedCache: "revalidatedCache"
        case .dummy: "dummy"
        case .resultHandler: "resultHandler"
        }
    }
}
