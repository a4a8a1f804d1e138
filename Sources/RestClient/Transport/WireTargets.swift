// SPDX-License-Identifier: MIT

import HTTPWire
import Synchronization

/// Finds the connections for URLs, and remembers those of recent requests: a client uses the same URLs again and again.
///
/// Queries are not remembered. They may hold a secret, and are seldom used again.
final class WireTargets: Sendable {
    private static let limit = 512

    /// The terms of the connections that a request may use; connections are shared by equal ones only.
    struct Terms: Hashable {
        var pins: Set<String> = []
        /// True if the client's certificate is not presented.
        var isAnonymous = false
        var way = WireWay.direct
    }

    private let client: WireClient
    private let trustsLoopback: Bool
    private let versions: WireOrigin.Versions
    private let state = Mutex<[Terms: [String: WireTarget]]>([:])

    init(_ client: WireClient, trustsLoopback: Bool, versions: WireOrigin.Versions = .any) {
        self.client = client
        self.trustsLoopback = trustsLoopback
        self.versions = versions
    }

    /// Returns the target of a URL, whose path and query are sent as they are written; `nil` for a text that is not the
    /// URL of a request.
    func target(of url: String, _ terms: Terms = Terms()) throws(RestClientError) -> WireTarget? {
        guard let mark = url.utf8.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
            return try knownTarget(of: url, terms)
        }
        guard url[mark...].utf8.allSatisfy({ Self.isSent($0) }) else {
            guard let sent = try? HTTPURL(sent: url).writtenText, sent != url else {
                return nil
            }
            return try target(of: sent, terms)
        }
        var target = try knownTarget(of: String(url[..<mark]), terms)
        target?.pathAndQuery += url[mark...]
        return target
    }

    private func knownTarget(of url: String, _ terms: Terms) throws(RestClientError) -> WireTarget? {
        if let known = state.withLock({ $0[terms]?[url] }) {
            return known
        }
        guard let target = try target(of: url, terms, versions) else {
            return nil
        }
        state.withLock { targets in
            if targets.count >= Self.limit || targets[terms]?.count ?? 0 >= Self.limit {
                targets = [:]
            }
            targets[terms, default: [:]][url] = target
        }
        return target
    }

    /// Returns the target of a URL over HTTP/1.1, which alone changes the protocol of a connection; `nil` for a text
    /// that is not the URL of a request.
    func upgradeTarget(of text: String, _ terms: Terms) throws(RestClientError) -> WireTarget? {
        try target(of: text, terms, .http1)
    }

    private func target(
        of text: String,
        _ terms: Terms,
        _ versions: WireOrigin.Versions
    ) throws(RestClientError) -> WireTarget? {
        guard let url = try? HTTPURL(sent: text) else {
            return nil
        }
        let isSecure = url.scheme == "https"
        guard isSecure || versions != .http2 else {
            throw TransportFailure.error(for: WireFault.noHTTP2, url: text)
        }
        let origin = WireOrigin(
            isSecure: isSecure,
            host: url.bareHost,
            port: url.effectivePort,
            isUnchecked: isSecure && trustsLoopback && HTTPURL.isLoopback(url.host),
            pinnedKeys: terms.pins,
            isAnonymous: isSecure && terms.isAnonymous,
            versions: versions,
            way: way(terms.way)
        )
        do {
            let pool = try client.pool(to: origin)
            let target = WireTarget(pool: pool, host: url.authority, pathAndQuery: url.target)
            // The absolute form (RFC 9112, section 3.2.2).
            return target.isForwarded
                ? WireTarget(pool: pool, host: url.authority, pathAndQuery: url.writtenText) : target
        } catch {
            throw TransportFailure.error(for: error, url: text)
        }
    }

    /// Returns a way whose proxy, if it is on this machine, is trusted as the servers there are.
    private func way(_ way: WireWay) -> WireWay {
        guard trustsLoopback, var proxy = way.proxy, proxy.kind == .https, HTTPURL.isLoopback(proxy.host) else {
            return way
        }
        proxy.isUnchecked = true
        if case .tunnel(_, let lookup) = way {
            return .tunnel(proxy, lookup)
        }
        return .forwarding(proxy)
    }

    private static func isSent(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "#")
    }
}

struct WireTarget {
    let pool: ConnectionPool
    let host: String
    /// Path and query, or the whole URL for a proxy that forwards the request.
    var pathAndQuery: String

    var proxy: WireProxy? { pool.origin.way.proxy }

    /// A Boolean value that is true if a proxy gets the whole request, and not only the name of its server.
    var isForwarded: Bool { pool.origin.isForwarded }
}
