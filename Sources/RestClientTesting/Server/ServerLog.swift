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

/// An event of a server, with the numbers of its connections and requests from 1.
package enum LoopbackEvent: Hashable, Sendable {
    /// A client connected.
    case connectionOpened(connection: Int)
    /// A connection was closed, by the client or the server.
    case connectionClosed(connection: Int)
    /// A connection failed before or between requests: in a TLS handshake, or because of malformed input.
    case connectionFailed(connection: Int, reason: String)
    /// A request's head arrived.
    case requestStarted(request: Int)
    /// A complete request arrived and goes to its handler.
    case requestReceived(request: Int)
    /// The complete response was written to the socket.
    case responded(request: Int)
    /// The client closed the connection or cancelled the stream before the end of the response.
    case aborted(request: Int)
    /// The server ended the connection or the stream before the end of the response, as the test required.
    case cutOff(request: Int)
    /// The handler threw an error. The client got a 500, or a response that was cut off.
    case handlerFailed(request: Int, reason: String)
}
