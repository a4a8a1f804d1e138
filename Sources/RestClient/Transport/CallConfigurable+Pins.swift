// SPDX-License-Identifier: MIT

extension CallConfigurable {
    /// Pins the public keys of a server; any key that a trusted authority vouches for will do when no level sets it.
    ///
    /// A connection on which the server shows another key is refused with
    /// ``RestClientError/Code-swift.struct/tlsFailed`` before anything is sent, after all other checks of TLS. A pin is
    /// the SHA-256 digest of the SubjectPublicKeyInfo of the server's own certificate (RFC 7469, section 2.4). The keys
    /// of authorities cannot be pinned.
    ///
    /// Pin the key of a certificate in reserve too: when the only pinned key is replaced, all calls fail.
    /// ``RestClientManager/lint()`` reports servers without one.
    ///
    /// ```swift
    /// manager.servers[.store] = Server("https://api.example.com").pinnedKeys(["sha256/…=", "sha256/…="])
    /// manager.options = manager.options.pinnedKeys(["sha256/…=", "sha256/…="], of: "auth.example.com")
    /// ```
    ///
    /// ``DirectTransport`` and WebSockets check pins. Calls over another transport are
    /// refused, see ``Transport/checksPinnedKeys``.
    ///
    /// - Parameters:
    ///   - pins: The pins, as in `sha256/` and 44 characters of Base64. Another text makes the call fail with
    ///     ``RestClientError/Code-swift.struct/invalidPin``. None at all revokes the pins of outer levels for the host.
    ///   - host: The host with these keys, wherever a call or a redirect meets it. By default that of the URL of the
    ///     call, and no host that a redirect leads to.
    /// - Returns: A changed copy.
    public consuming func pinnedKeys(_ pins: [String], of host: String? = nil) -> Self {
        do throws(RestClientError) {
            var keys = options[.pinnedKeys] ?? PinnedKeys()
            let pins = try PinnedKeys.parse(pins)
            if let host {
                keys.namedHosts[try PinnedKeys.host(host)] = pins
            } else {
                keys.ownHost = pins
            }
            options[.pinnedKeys] = keys
        } catch {
            options.note(error)
        }
        return self
    }
}

extension CallOptionKey<PinnedKeys> {
    static var pinnedKeys: Self {
        Self(
            "pinned keys",
            join: { $0.overlaid(with: $1) },
            decidesResponse: true,
            comparison: .byValue,
            needs: .wire,
            describe: { $0.description }
        )
    }
}
