// SPDX-License-Identifier: MIT

import RestEssentials

struct PinnedKeys: Sendable, Hashable {
    /// The pins of the host that a call names itself; `nil` if no level sets them, and empty if any key will do.
    var ownHost: Set<String>?
    /// The pins of hosts that are named, wherever a call or a redirect meets them.
    var namedHosts: [String: Set<String>] = [:]

    private static let prefix = "sha256/"

    /// Returns these pins with those of an inner level, which replace those for the same host.
    func overlaid(with inner: PinnedKeys) -> PinnedKeys {
        PinnedKeys(ownHost: inner.ownHost ?? ownHost, namedHosts: namedHosts.merging(inner.namedHosts) { $1 })
    }

    /// Returns the pins of a host, which is the call's own or one that a redirect leads to; empty if any key will do.
    func pins(of host: String, isOwn: Bool) -> Set<String> {
        namedHosts[host] ?? (isOwn ? ownHost : nil) ?? []
    }

    static func parse(_ pins: [String]) throws(RestClientError) -> Set<String> {
        for pin in pins {
            guard pin.hasPrefix(prefix), let digest = Data(base64Encoded: String(pin.dropFirst(prefix.count))),
                digest.count == 32, pin == prefix + digest.base64EncodedString()
            else {
                throw RestClientError(
                    .invalidPin,
                    "'\(pin.prefix(64))' is not a pin; write 'sha256/' and the Base64 of the SHA-256 digest of a "
                        + "SubjectPublicKeyInfo, which has 44 characters (RFC 7469)"
                )
            }
        }
        return Set(pins)
    }

    static func host(_ name: String) throws(RestClientError) -> String {
        guard let url = try? HTTPURL(server: "https://" + name), url.authority == url.host, url.path.isEmpty,
            url.query == nil, url.userInfo.isEmpty, !url.host.isEmpty
        else {
            throw RestClientError(
                .invalidServerAddress,
                "'\(Redaction.url(name))' is not the name of a host; write it alone, as in 'api.example.com'"
            )
        }
        return url.comparedHost
    }
}

extension PinnedKeys: CustomStringConvertible {
    var description: String {
        let own = ownHost.map { [$0.isEmpty ? "any" : $0.sorted().joined(separator: " ")] } ?? []
        let named = namedHosts.sorted { $0.key < $1.key }.map { "\($0): " + $1.sorted().joined(separator: " ") }
        return (own + named).joined(separator: ", ")
    }
}
