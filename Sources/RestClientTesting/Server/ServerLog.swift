// SPDX-License-Identifier: MIT

import ConcurrencyTesting

package struct ServerLog: Sendable {
    package private(set) var events: [LoopbackEvent] = []
    private(set) var requests: [LoopbackRequest] = []
    package private(set) var openConnections: Set<Int> = []
    private(set) var lastConnection = 0
    private(set) var abortedRequests: Set<Int> = []
    var isStopping = false
    private var lastRequest = 0

    mutating func admitConnection() -> Int? {
        guard !isStopping else {
            return nil
        }
        lastConnection += 1
        return lastConnection
    }

    /// Logs that a connection that was numbered is open.
    mutating func open(_ connection: Int) {
        openConnections.insert(connection)
        events.append(.connectionOpened(connection: connection))
    }

    mutating func startRequest() -> Int {
        lastRequest += 1
        events.append(.requestStarted(request: lastRequest))
        return lastRequest
    }

    mutating func receive(_ request: LoopbackRequest) {
        requests.append(request)
        events.append(.requestReceived(request: request.number))
    }

    mutating func append(_ event: LoopbackEvent) {
        switch event {
        case .connectionClosed(let connection):
            openConnections.remove(connection)
        case .aborted(let request):
            // A stopping server ends the connections itself.
            guard !isStopping else {
                events.append(.cutOff(request: request))
                return
            }
            abortedRequests.insert(request)
        default:
            break
        }
        events.append(event)
    }
}

extension Monitor<ServerLog> {
    func note(_ event: LoopbackEvent) {
        update { log in log.append(event) }
    }
}
