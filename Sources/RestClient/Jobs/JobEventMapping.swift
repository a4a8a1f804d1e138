// SPDX-License-Identifier: MIT

import JobGraphs

struct JobEventMapping: JobObserver {
    let hub: EventHub

    var isObserved: Bool { hub.isObserved }

    func observe(_ event: JobEvent) {
        var request: RequestSummary?
        let kind: ClientEvent.Kind
        switch event.kind {
        case .localJobStarted(let name): kind = .localJobStarted(name: name)
        case .localJobSucceeded(let name): kind = .localJobSucceeded(name: name)
        case .localJobFailed(let name, let error): kind = .localJobFailed(name: name, error)
        case .localJobCancelled(let name): kind = .localJobCancelled(name: name)
        case .groupStarted(let count): kind = .groupStarted(count: count)
        case .groupFinished(let report): kind = .groupFinished(report)
        case .graphStarted(let name, let count): kind = .graphStarted(name: name, count: count)
        case .nodeStarted(let name): kind = .nodeStarted(name: name)
        case .nodeFinished(let name, let status): kind = .nodeFinished(name: name, status: status)
        case .graphFinished(let run): kind = .graphFinished(run)
        case .retryDecided(let number, let delay, let error):
            kind = .retryDecided(number: number, delay: delay, error)
            request = ErrorOrigin.first(RestClientError.self, behind: error)?.request
        case .retrySuppressed(let reason, let error):
            kind = .retrySuppressed(reason, error)
            request = ErrorOrigin.first(RestClientError.self, behind: error)?.request
        }
        hub.emit(ClientEvent(kind, groupID: event.groupID, request: request, value: event.value))
    }
}
