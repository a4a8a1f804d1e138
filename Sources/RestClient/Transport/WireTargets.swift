// SPDX-License-Identifier: MIT

import HTTPWire
import Synchronization

/// Finds the connections for URLs, and remembers those of recent requests: a client uses the same URLs again and again.
///
/// Queries are not remembered. They may hold a secret, and are seldom used again.
final class WireTargets: Sendable {
    /// How many URLs are remembered before all are forgotten.
    private static let limit = 128

    private let client: WireClient
    private let trustsLoopback: Bool
    private let targets = Mutex<[String: WireTarget]>([:])

    init(_ client: WireClient, trustsLoopback: Bool) {
        self.client = client
        self.trustsLoopback = trustsLoopback
    }

    /// Returns the target of a URL; `nil` for a text that is not plainly the URL of a request.
    ///
    /// - Throws: An error of NIOSSL if the configured trust cannot be used.
    func target(of url: String) throws -> WireTarget? {
        guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else {
            return try knownTarget(of: url)
        }
        guard url[mark...].utf8.allSatisfy({ Self.isPlain($0) }) else {
            return nil
        }
        var target = try knownTarget(of: String(url[..<mark]))
        target?.pathAndQuery += url[mark...]
        return target
    }

    private func knownTarget(of url: String) throws -> WireTarget? {
        if let target = targets.withLock({ $0[url] }) {
            return target
        }
        guard let target = try newTarget(of: url) else {
            return nil
        }
        targets.withLock { targets in
            if targets.count >= Self.limit {
                targets.removeAll(keepingCapacity: true)
            }
            targets[url] = target
        }
        return target
    }

    private func newTarget(of text: String) throws -> WireTarget? {
        guard text.utf8.allSatisfy({ Self.isPlain($0) }), let url = try? HTTPURL(text), !url.host.isEmpty,
            let authority = text.firstRange(of: "://")?.upperBound
        else {
            return nil
        }
        let path = text[authority...].firstIndex(of: "/").map { text[$0...] } ?? "/"
        let isSecure = url.scheme == "https"
        let origin = WireOrigin(
            isSecure: isSecure,
            host: url.bareHost,
            port: url.effectivePort,
            isUnchecked: isSecure && trustsLoopback && HTTPURL.isLoopback(url.host)
        )
        return WireTarget(pool: try client.pool(to: origin), host: url.authority, pathAndQuery: String(path))
    }

    /// Returns true for the characters of a URL that is ready to be sent.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\\"), UInt8(ascii: "#"), UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"),
            UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
            false
        default:
            byte > 0x20 && byte < 0x7F
        }
    }
}
