// SPDX-License-Identifier: MIT

import JobGraphs

/// A value of an event, in a form that notifications, logs and descriptions share.
package struct EventDetail: Sendable {
    /// The name of a value.
    package enum Key: String, Sendable, CaseIterable {
        case attempt, status, redirectURL, error, failureClass, delay, reason, source, duration, age, model, dummy
        case jobName, jobCount, isStopped, graphName, nodeName, nodeStatus, isSuccess, sharedDataKey, customIdentifier,
            payload
    }

    /// The name of the value.
    package let key: Key

    /// The value.
    package let value: any Sendable

    /// The value as text, without credentials.
    ///
    /// A model is named by its type, and secrets in errors are masked.
    package let text: String

    init(_ key: Key, _ value: some Sendable, _ text: String? = nil) {
        self.key = key
        self.value = value
        self.text = text ?? "\(value)"
    }
}

extension ClientEvent.Kind {
    /// The values of the event.
    package var details: [EventDetail] {
        switch self {
        case .callStarted, .callQueued, .callCancelled, .notModified, .cacheRevalidated, .cacheStored, .cacheRemoved,
            .cacheInvalidated, .callShared, .dummyUnmatched, .tokenRefreshed:
            []
        case .attemptStarted(let number):
            [EventDetail(.attempt, number)]
        case .attemptFinished(let number, let status):
            [EventDetail(.attempt, number), EventDetail(.status, status.code)]
        case .attemptFailed(let number, let error):
            [EventDetail(.attempt, number)] + Self.failure(error)
        case .redirected(let url):
            [EventDetail(.redirectURL, url)]
        case .retryDecided(let number, let delay, let error):
            [EventDetail(.attempt, number), EventDetail(.delay, delay)] + Self.failure(error)
        case .retrySuppressed(let reason, let error):
            [EventDetail(.reason, reason.description)] + Self.failure(error)
        case .modelLoaded(let model, let source):
            [EventDetail(.model, model, "\(type(of: model))"), EventDetail(.source, source.name)]
        case .callSucceeded(let status, let source, let duration):
            [
                EventDetail(.status, status.code), EventDetail(.source, source.name),
                EventDetail(.duration, duration),
            ]
        case .callFailed(let error):
            Self.failure(error)
        case .cacheHit(let age), .cacheStale(let age):
            [EventDetail(.age, age)]
        case .cacheMiss(let reason):
            [EventDetail(.reason, "\(reason)")]
        case .cacheFailed(let error):
            [EventDetail(.error, error, Redaction.error(error))]
        case .dummyMatched(let id):
            [EventDetail(.dummy, id)]
        case .localJobStarted(let name), .localJobSucceeded(let name), .localJobCancelled(let name):
            [EventDetail(.jobName, name)]
        case .localJobFailed(let name, let error):
            [EventDetail(.jobName, name)] + Self.failure(error)
        case .groupStarted(let count):
            [EventDetail(.jobCount, count)]
        case .groupFinished(let isStopped):
            [EventDetail(.isStopped, isStopped)]
        case .graphStarted(let name, let count):
            [EventDetail(.graphName, name), EventDetail(.jobCount, count)]
        case .nodeStarted(let name):
            [EventDetail(.nodeName, name)]
        case .nodeFinished(let name, let status):
            [EventDetail(.nodeName, name), EventDetail(.nodeStatus, "\(status)")]
        case .graphFinished(let name, let isSuccess):
            [EventDetail(.graphName, name), EventDetail(.isSuccess, isSuccess)]
        case .sharedDataUpdated(let key), .sharedDataRemoved(let key):
            [EventDetail(.sharedDataKey, key)]
        case .custom(let identifier, let payload):
            [
                EventDetail(.customIdentifier, identifier),
                EventDetail(.payload, payload, Redaction.json(.object(payload))),
            ]
        }
    }

    private static func failure(_ error: any Error) -> [EventDetail] {
        var details = [
            EventDetail(.error, error, Redaction.error(error)),
            EventDetail(.failureClass, FailureClass(of: error).rawValue),
        ]
        if let status = (error as? RestClientError)?.status {
            details.append(EventDetail(.status, status.code))
        }
        return details
    }
}

extension ResponseSource {
    /// The name of the source, without its values.
    package var name: String {
        switch self {
        case .network: "network"
        case .cache: "cache"
        case .revalidatedCache: "revalidatedCache"
        case .dummy: "dummy"
        case .resultHandler: "resultHandler"
        }
    }
}
