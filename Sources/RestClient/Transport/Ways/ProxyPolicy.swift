// SPDX-License-Identifier: MIT

import HTTPWire
import RestEssentials

/// The choice of a proxy; see ``CallConfigurable/proxy(_:)``.
public struct ProxyPolicy: Sendable, Hashable {
    enum Choice: Hashable {
        case none
        case environment(ProxyEnvironment?, coversLoopback: Bool)
        case server(ProxyServer, except: ProxyExceptions)
        /// The URL cannot be used, for a reason.
        case unusable(reason: String)
    }

    let choice: Choice

    private init(_ choice: Choice) {
        self.choice = choice
    }

    /// No proxy, whatever the environment says.
    public static let none = ProxyPolicy(Choice.none)

    /// The proxy that the environment of the process names: the default.
    ///
    /// The variables are those of curl: `http_proxy` for `http`, `https_proxy` for `https` and WebSockets over TLS,
    /// else `all_proxy`, each also in capitals; `no_proxy` lists the hosts that are reached without. They are read
    /// once. This machine (`localhost`, `127.0.0.0/8`, `[::1]`) is reached without a proxy.
    public static let environment = ProxyPolicy(.environment(nil, coversLoopback: false))

    /// The proxy that variables name.
    ///
    /// - Parameters:
    ///   - variables: The variables in place of those of the process; `nil`, the default, for those.
    ///   - coversLoopback: True if this machine (`localhost`, `127.0.0.0/8`, `[::1]`) is reached through the proxy too;
    ///     `false` by default.
    /// - Returns: The choice.
    public static func environment(
        _ variables: [String: String]? = nil,
        coversLoopback: Bool = false
    ) -> ProxyPolicy {
        ProxyPolicy(.environment(variables.map { ProxyEnvironment($0) }, coversLoopback: coversLoopback))
    }

    /// A proxy for all hosts, this machine included.
    ///
    /// ```swift
    /// manager.options = manager.options.proxy(.server("http://proxy.corp.example:3128", except: ["*.corp.example"]))
    /// ```
    ///
    /// - Parameters:
    ///   - url: The URL of the proxy: `http://`, `https://` (TLS with the proxy), `socks5://` (names are looked up
    ///     here) or `socks5h://` (the proxy gets names), `http` if there is none. A user and a password are part of it,
    ///     percent-encoded. A URL that cannot be used makes the call fail with
    ///     ``RestClientError/Code-swift.struct/proxyFailed``.
    ///   - exceptions: The hosts that are reached without: names, which stand for those below them too, addresses and
    ///     ranges of them, as in `10.0.0.0/8`; all with a port if it is to hold for that alone.
    /// - Returns: The choice.
    public static func server(_ url: String, except exceptions: [String] = []) -> ProxyPolicy {
        do throws(ProxyServer.Defect) {
            return ProxyPolicy(.server(try ProxyServer(url), except: ProxyExceptions(exceptions)))
        } catch {
            return ProxyPolicy(.unusable(reason: error.reason))
        }
    }
}

extension ProxyPolicy: MirroredByDescription {
    /// The choice, without the credentials of a proxy.
    public var description: String {
        switch choice {
        case .none: "none"
        case .environment(nil, _): "that of the environment"
        case .environment: "that of given variables"
        case .server(let server, _): server.wire.description
        case .unusable: "an unusable one"
        }
    }
}

extension CallConfigurable {
    /// Sets the proxy through which servers are reached; ``ProxyPolicy/environment`` if no level sets it.
    ///
    /// A proxy of HTTP gets the requests for `http` as they are, and leads those for `https`, and WebSockets, through
    /// a tunnel, of which it learns the name of the server and no more. Certificates, pinned keys and HTTP/2 hold as
    /// without it. The user and the password of its URL go to the proxy alone.
    ///
    /// A proxy that cannot be reached, refuses or does not respond is a
    /// ``RestClientError/Code-swift.struct/proxyFailed`` error: the server is never tried without it.
    /// ``Response/explain()`` says which proxy was used, and which variable or level chose it.
    ///
    /// In the scopes of tests (``RestClientManager/withDummies(_:_:)`` and recordings) the environment is not asked.
    ///
    /// - Parameter proxy: The choice.
    /// - Returns: A changed copy.
    public consuming func proxy(_ proxy: ProxyPolicy) -> Self {
        if case .unusable(let reason) = proxy.choice {
            options.note(
                RestClientError(.proxyFailed, "the URL of the proxy in .proxy(.server(_:)) cannot be used: \(reason)")
            )
        }
        options[.proxy] = proxy
        return self
    }
}

extension CallOptionKey<ProxyPolicy> {
    static var proxy: Self {
        Self("proxy", decidesResponse: true, comparison: .byValue, needs: .wire) { $0.description }
    }
}
