// SPDX-License-Identifier: MIT

import JobGraphs
import RestEssentials
import SharedStore

package struct EventDetail: Sendable {
    package enum Key: String, Sendable, CaseIterable {
        case attempt, status, redirectURL, error, failureClass, delay, reason, source, duration, age, model, dummy
        case jobName, jobCount, isStopped, outcomes, graphName, nodeName, nodeStatus, isSuccess, sharedDataKey,
            customIdentifier, server, circuit, reachability, payload, direction, completedBytes, totalBytes
        case subprotocol, messageBytes, messageNumber, closeCode, isByServer
    }

    package let key: Key

    package let value: any Sendable

    /// The value as text, without credentials; a model is named by its type.
    package let text: String

    /// The short form that distinguishes an event from others of its kind; `nil` if it varies or adds nothing.
    package let word: String?

    init(_ key: Key, _ value: some Sendable, _ text: String? = nil, word: String? = nil) {
        self.key = key
        self.value = value
        self.text = MessageText.of(text ?? "\(value)")
        self.word = word.map { MessageText.of($0) }
    }

    init(_ key: Key, named value: some Sendable) {
        self.init(key, value, word: "\(value)")
    }

    fileprivate static func failure(_ error: any Error) -> [EventDetail] {
        var details = [
            EventDetail(.error, error, Redaction.error(error), word: word(error)),
            EventDetail(.failureClass, FailureClass(of: error).rawValue),
        ]
        if let status = ErrorOrigin.first(RestClientError.self, behind: error)?.status {
            details.append(EventDetail(.status, status.code))
        }
        return details
    }

    fileprivate static func store(_ error: StoreError) -> EventDetail {
        EventDetail(.error, error, Redaction.error(error), word: "\(error.code)")
    }

    private static func word(_ error: any Error) -> String {
        switch error {
        case is CancellationError: "cancelled"
        case let error as RestClientError: error.code.description
        case let error as JobGraphError: error.code.description
        default: "\(error)"
        }
    }
}

extension ClientEvent.Kind {
    /// The name of the case, without its values.
    public var name: ClientEvent.Name {
        content { name, _ in name }
    }

    package var details: [EventDetail] {
        content { _, details in details() }
    }

    /// The name and the values of each kind; the values are created on demand, because filters need only names.
    private func content<Result>(
        _ result: (ClientEvent.Name, @autoclosure () -> [EventDetail]) -> Result
    ) -> Result {
        switch self {
        case .callStarted: result(.callStarted, [])
        case .callQueued: result(.callQueued, [])
        case .callHeldBack(let server): result(.callHeldBack, [EventDetail(.server, named: server)])
        case .rateLimitNotShared(let server, let error):
            result(.rateLimitNotShared, [EventDetail(.server, named: server), EventDetail.store(error)])
        case .callHedged(let delay): result(.callHedged, [EventDetail(.delay, delay)])
        case .callFellBack(let source, let error):
            result(.callFellBack, [EventDetail(.source, named: source)] + EventDetail.failure(error))
        case .circuitChanged(let server, let state):
            result(.circuitChanged, [EventDetail(.server, named: server), EventDetail(.circuit, named: state)])
        case .reachabilityChanged(let server, let state):
            result(
                .reachabilityChanged,
                [EventDetail(.server, named: server), EventDetail(.reachability, named: state)]
            )
        case .attemptStarted(let number): result(.attemptStarted, [EventDetail(.attempt, named: number)])
        case .attemptFinished(let number, let status):
            result(.attemptFinished, [EventDetail(.attempt, named: number), EventDetail(.status, named: status.code)])
        case .attemptFailed(let number, let error):
            result(.attemptFailed, [EventDetail(.attempt, named: number)] + EventDetail.failure(error))
        case .surplusReceived: result(.surplusReceived, [])
        case .redirected(let url): result(.redirected, [EventDetail(.redirectURL, named: url)])
        case .tokenRefreshed: result(.tokenRefreshed, [])
        case .retryDecided(let number, let delay, let error):
            result(
                .retryDecided,
                [EventDetail(.attempt, named: number), EventDetail(.delay, delay)] + EventDetail.failure(error)
            )
        case .retrySuppressed(let reason, let error):
            result(.retrySuppressed, [EventDetail(.reason, named: reason.description)] + EventDetail.failure(error))
        case .modelLoaded(let model, let source):
            result(.modelLoaded, [EventDetail(.model, model, "\(type(of: model))"), EventDetail(.source, source.name)])
        case .callSucceeded(let status, let source, let duration):
            result(
                .callSucceeded,
                [
                    EventDetail(.status, named: status.code), EventDetail(.source, named: source.name),
                    EventDetail(.duration, duration),
                ]
            )
        case .callFailed(let error): result(.callFailed, EventDetail.failure(error))
        case .callCancelled: result(.callCancelled, [])
        case .cacheHit(let age): result(.cacheHit, Self.age(age))
        case .cacheStale(let age): result(.cacheStale, Self.age(age))
        case .cacheMiss(let reason): result(.cacheMiss, [EventDetail(.reason, named: "\(reason)")])
        case .notModified: result(.notModified, [])
        case .cacheRevalidated: result(.cacheRevalidated, [])
        case .cacheStored: result(.cacheStored, [])
        case .cacheRemoved: result(.cacheRemoved, [])
        case .cacheInvalidated: result(.cacheInvalidated, [])
        case .callShared: result(.callShared, [])
        case .cacheFailed(let error):
            result(.cacheFailed, [EventDetail.store(error)])
        case .dummyMatched(let id): result(.dummyMatched, [EventDetail(.dummy, id)])
        case .dummyUnmatched: result(.dummyUnmatched, [])
        case .localJobStarted(let name): result(.localJobStarted, [EventDetail(.jobName, named: name)])
        case .localJobSucceeded(let name): result(.localJobSucceeded, [EventDetail(.jobName, named: name)])
        case .localJobFailed(let name, let error):
            result(.localJobFailed, [EventDetail(.jobName, named: name)] + EventDetail.failure(error))
        case .localJobCancelled(let name): result(.localJobCancelled, [EventDetail(.jobName, named: name)])
        case .groupStarted(let count): result(.groupStarted, [EventDetail(.jobCount, named: count)])
        case .groupFinished(let report): result(.groupFinished, Self.group(report))
        case .graphStarted(let name, let count):
            result(.graphStarted, [EventDetail(.graphName, named: name), EventDetail(.jobCount, named: count)])
        case .nodeStarted(let name): result(.nodeStarted, [EventDetail(.nodeName, named: name)])
        case .nodeFinished(let name, let status):
            result(.nodeFinished, [EventDetail(.nodeName, named: name), EventDetail(.nodeStatus, named: "\(status)")])
        case .graphFinished(let run): result(.graphFinished, Self.graph(run))
        case .progressed(let progress): result(.progressed, Self.progress(progress))
        case .webSocketOpened(let subprotocol):
            result(.webSocketOpened, subprotocol.map { [EventDetail(.subprotocol, named: $0)] } ?? [])
        case .webSocketMessage(let direction, let bytes, let number):
            result(
                .webSocketMessage,
                [
                    EventDetail(.direction, named: direction.rawValue), EventDetail(.messageBytes, named: bytes),
                    EventDetail(.messageNumber, number),
                ]
            )
        case .webSocketClosed(let code, let isByServer):
            result(.webSocketClosed, [EventDetail(.closeCode, named: code), EventDetail(.isByServer, isByServer)])
        case .webSocketReconnecting(let delay, let error):
            result(
                .webSocketReconnecting,
                [EventDetail(.delay, delay)] + (error.map { EventDetail.failure($0) } ?? [])
            )
        case .sharedDataUpdated(let key): result(.sharedDataUpdated, [EventDetail(.sharedDataKey, named: key)])
        case .sharedDataRemoved(let key): result(.sharedDataRemoved, [EventDetail(.sharedDataKey, named: key)])
        case .custom(let identifier, let payload):
            result(
                .custom,
                [
                    EventDetail(.customIdentifier, named: identifier),
                    EventDetail(.payload, payload, Redaction.json(.object(payload))),
                ]
            )
        }
    }

    private static func progress(_ progress: CallProgress) -> [EventDetail] {
        let transfer = progress.transfer
        return [
            EventDetail(.direction, named: progress.direction.rawValue),
            EventDetail(.completedBytes, transfer.completed),
        ] + (transfer.total.map { [EventDetail(.totalBytes, $0)] } ?? [])
    }

    private static func group(_ report: GroupReport<any Sendable>) -> [EventDetail] {
        let stopped = report.stopped
        return [EventDetail(.isStopped, stopped, word: stopped ? "stopped" : nil), outcomes(report.outcomes)]
    }

    private static func graph(_ run: GraphRun) -> [EventDetail] {
        [
            EventDetail(.graphName, named: run.name),
            EventDetail(.isSuccess, run.isSuccess, word: run.isSuccess ? "success" : "failure"),
            outcomes(run.outcomes),
        ]
    }

    private static func outcomes(_ outcomes: [JobOutcome<any Sendable>]) -> EventDetail {
        EventDetail(.outcomes, outcomes, "\(outcomes.count(where: \.isSuccess)) of \(outcomes.count) succeeded")
    }

    private static func age(_ age: Duration) -> [EventDetail] {
        [EventDetail(.age, age, word: "\(age.components.seconds)")]
    }
}

extension ResponseSource {
    package var name: String {
        switch self {
        case .network: "network"
        case .cache: "cache"
        case .revalidatedCache: "revalidatedCache"
        case .dummy: "dummy"
        case .resultHandler: "resultHandler"
        case .fallback: "fallback"
        }
    }
}
