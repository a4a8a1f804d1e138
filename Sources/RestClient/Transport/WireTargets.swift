// SPDX-License-Identifier: MIT

import HTTPWire
import Synchronization

/// Finds the connections for URLs, and remembers those of recent requests: a client uses the same URLs again and again.
///
/// Queries are not remembered. They may hold a secret, and are seldom used again.
///
/// Whether a server of TLS speaks HTTP/2 is known once the other transport, which asks for it in its handshake, has had
/// a response. To ask with connections of this library's own would spend one of them for each server of HTTP/2, and
/// delay the first call by a handshake; so it is the servers of HTTP/1.1 over TLS for which one is spent.
final class WireTargets: Sendable {
    private static let limit = 512

    /// The terms of the connections that a request may use; connections are shared by equal ones only.
    struct Terms: Hashable {
        var pins: Set<String> = []
        /// True if the client's certificate is not presented.
        var isAnonymous = false
    }

    private struct State {
        var offersHTTP2: Bool
        var routes: [Terms: [String: WireRoute]] = [:]
        var serversOfHTTP1: Set<WireOrigin> = []

        /// Returns true if nobody knows yet whether a server of TLS chooses HTTP/2, or if it does.
        func mustAsk(_ origin: WireOrigin) -> Bool { offersHTTP2 && !serversOfHTTP1.contains(origin) }

        mutating func forgetRoutes(to origin: WireOrigin) {
            routes = routes.mapValues { $0.filter { $0.value.origin != origin } }
        }
    }

    private let client: WireClient
    private let trustsLoopback: Bool
    private let state: Mutex<State>

    init(_ client: WireClient, trustsLoopback: Bool, offersHTTP2: Bool) {
        self.client = client
        self.trustsLoopback = trustsLoopback
        state = Mutex(State(offersHTTP2: offersHTTP2))
    }

    /// Returns the route to a URL, whose path and query are sent as they are written; ``WireRoute/other`` for a text
    /// that is not the URL of a request.
    func route(to url: String, _ terms: Terms = Terms()) throws(RestClientError) -> WireRoute {
        guard let mark = url.utf8.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
            return try knownRoute(to: url, terms)
        }
        guard url[mark...].utf8.allSatisfy({ Self.isSent($0) }) else {
            guard let sent = try? HTTPURL(sent: url).writtenText, sent != url else {
                return .other
            }
            return try route(to: sent, terms)
        }
        let route = try knownRoute(to: String(url[..<mark]), terms)
        guard case .direct(var target) = route else {
            return route
        }
        target.pathAndQuery += url[mark...]
        return .direct(target)
    }

    func learn(that origin: WireOrigin, speaks version: RawResponse.HTTPVersion?) {
        guard version == .http11 || version == .http10 else {
            return
        }
        state.withLock { state in
            guard state.offersHTTP2 else {
                return
            }
            if state.serversOfHTTP1.count >= Self.limit {
                state.serversOfHTTP1 = []
            }
            if state.serversOfHTTP1.insert(origin).inserted {
                state.forgetRoutes(to: origin)
            }
        }
    }

    /// Sends the requests to all servers of TLS directly from now on, because the other transport speaks no HTTP/2.
    func stopOfferingHTTP2() {
        state.withLock { state in
            state.offersHTTP2 = false
            state.routes = [:]
            state.serversOfHTTP1 = []
        }
    }

    /// Forgets what a server of TLS has chosen, because it does not respond any more: it may have changed its mind.
    func forget(_ origin: WireOrigin) {
        guard origin.isSecure else {
            return
        }
        state.withLock { state in
            if state.serversOfHTTP1.remove(origin) != nil {
                state.forgetRoutes(to: origin)
            }
        }
    }

    private func knownRoute(to url: String, _ terms: Terms) throws(RestClientError) -> WireRoute {
        if let known = state.withLock({ $0.routes[terms]?[url] }) {
            return known
        }
        let route = try newRoute(to: url, terms)
        state.withLock { state in
            // The server of an undecided route may have chosen meanwhile.
            guard let origin = route.origin, route.isDirect || state.mustAsk(origin) else {
                return
            }
            if state.routes.count >= Self.limit || state.routes[terms]?.count ?? 0 >= Self.limit {
                state.routes = [:]
            }
            state.routes[terms, default: [:]][url] = route
        }
        return route
    }

    private func newRoute(to text: String, _ terms: Terms) throws(RestClientError) -> WireRoute {
        guard let url = try? HTTPURL(sent: text) else {
            return .other
        }
        let origin = origin(of: url, terms)
        guard !origin.isSecure || !state.withLock({ $0.mustAsk(origin) }) else {
            return .undecided(origin)
        }
        return .direct(try target(of: url, at: origin))
    }

    /// Returns the target of a URL over HTTP/1.1, which alone changes the protocol of a connection; `nil` for a text
    /// that is not the URL of a request.
    func upgradeTarget(of text: String, _ terms: Terms) throws(RestClientError) -> WireTarget? {
        guard let url = try? HTTPURL(sent: text) else {
            return nil
        }
        return try target(of: url, at: origin(of: url, terms))
    }

    private func target(of url: HTTPURL, at origin: WireOrigin) throws(RestClientError) -> WireTarget {
        do {
            return WireTarget(pool: try client.pool(to: origin), host: url.authority, pathAndQuery: url.target)
        } catch {
            throw TransportFailure.error(for: error, url: url.text)
        }
    }

    private func origin(of url: HTTPURL, _ terms: Terms) -> WireOrigin {
        let isSecure = url.scheme == "https"
        return WireOrigin(
            isSecure: isSecure,
            host: url.bareHost,
            port: url.effectivePort,
            isUnchecked: isSecure && trustsLoopback && HTTPURL.isLoopback(url.host),
            pinnedKeys: terms.pins,
            isAnonymous: isSecure && terms.isAnonymous
        )
    }

    private static func isSent(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "#")
    }
}

struct WireTarget {
    let pool: ConnectionPool
    let host: String
    var pathAndQuery: String
}

enum WireRoute {
    case direct(WireTarget)
    /// Those of the other transport; the version of the response tells whether later requests go there too.
    case undecided(WireOrigin)
    case other

    /// The server; `nil` for the text that is not the URL of a request.
    var origin: WireOrigin? {
        switch self {
        case .direct(let target): target.pool.origin
        case .undecided(let origin): origin
        case .other: nil
        }
    }

    var isDirect: Bool {
        if case .direct = self { true } else { false }
    }
}
