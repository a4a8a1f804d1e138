// SPDX-License-Identifier: MIT

import HTTPWire
import RestEssentials

/// The place where a server is reached; see ``CallConfigurable/reached(at:)``.
public struct ServerRoute: Sendable, Hashable {
    enum Place: Hashable {
        case usual
        case socket(path: String)
        case host(String, port: Int?)
        case lookup(WireLookup)
        /// The place cannot be used, for a reason.
        case unusable(reason: String)
    }

    /// The bytes of a path that the system takes for a socket, without the zero at its end.
    private static let pathLimit = {
        let size = MemoryLayout.size(ofValue: sockaddr_un().sun_path)
        return size - 1
    }()

    let place: Place

    private init(_ place: Place) {
        self.place = place
    }

    /// The addresses of the server's name: the default.
    public static let usual = ServerRoute(.usual)

    /// A Unix socket.
    ///
    /// - Parameter path: The path of the socket, as in `/run/docker.sock`.
    /// - Returns: The place.
    public static func unixSocket(_ path: String) -> ServerRoute {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            return ServerRoute(.unusable(reason: "the path of the socket is empty or has a NUL"))
        }
        guard path.utf8.count <= pathLimit else {
            return ServerRoute(
                .unusable(
                    reason: "the path of the socket has \(path.utf8.count) bytes, and the system takes \(pathLimit); "
                        + "link to it from a shorter one"
                )
            )
        }
        return ServerRoute(.socket(path: path))
    }

    /// Another host.
    ///
    /// - Parameters:
    ///   - host: The name or the address.
    ///   - port: The port; `nil`, the default, for that of the URL.
    /// - Returns: The place.
    public static func host(_ host: String, port: Int? = nil) -> ServerRoute {
        let text = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        guard let canonical = try? HTTPURL.canonicalHost(text) else {
            return ServerRoute(.unusable(reason: "'\(Redaction.url(host))' is not the name or the address of a host"))
        }
        guard port.map({ (1...65_535).contains($0) }) ?? true else {
            return ServerRoute(.unusable(reason: "its port is not a number from 1 to 65535"))
        }
        return ServerRoute(.host(HostPort.bare(canonical), port: port))
    }

    /// The addresses that a function returns, in place of those that the system knows.
    ///
    /// ```swift
    /// let consul = ServerRoute.addresses { host, _ in try await registry.addresses(of: host) }
    /// manager.servers[.store] = Server("https://store.internal").reached(at: consul)
    /// ```
    ///
    /// It is asked for each new connection. Connections are kept apart for each value that this method returned, so
    /// create one and use it again. Proxies of HTTP and `socks5h` look up names themselves, and do not use it.
    ///
    /// - Parameter find: Returns the addresses of a host and a port, as in `10.0.0.7` or `[fd00::7]:8443`; `nil` to ask
    ///   the system. An error, no address, and a text that is none fail with
    ///   ``RestClientError/Code-swift.struct/hostNotFound``.
    /// - Returns: The place.
    public static func addresses(
        _ find: @escaping @Sendable (_ host: String, _ port: Int) async throws -> [String]?
    ) -> ServerRoute {
        ServerRoute(
            .lookup(
                WireLookup { host, port in
                    try await find(host, port)?
                        .map { text in
                            // An IPv6 address alone has colons too.
                            let isAddress = text.filter { $0 == ":" }.count > 1 && !text.hasPrefix("[")
                            guard !isAddress, let (name, portText) = HostPort.split(text[...]) else {
                                return WireLookup.Place(address: text, port: port)
                            }
                            let own = portText.map { HostPort.port($0) ?? 0 } ?? port
                            return WireLookup.Place(address: own == 0 ? text : HostPort.bare(name), port: own)
                        }
                }
            )
        )
    }
}

extension ServerRoute: MirroredByDescription {
    /// The place.
    public var description: String {
        switch place {
        case .usual: "the addresses of its name"
        case .socket(let path): "the socket '\(path)'"
        case .host(let host, let port):
            host.contains(":") && port != nil ? "[\(host)]\(Self.suffix(port))" : host + Self.suffix(port)
        case .lookup: "the addresses that a function returns"
        case .unusable: "an unusable place"
        }
    }

    private static func suffix(_ port: Int?) -> String { port.map { ":\($0)" } ?? "" }
}

extension CallConfigurable {
    /// Sets where the server is reached; ``ServerRoute/usual`` if no level sets it.
    ///
    /// Only the connection goes elsewhere: the `Host` field, the name in TLS, the certificate, pinned keys, cookies and
    /// stored responses are those of the URL.
    ///
    /// ```swift
    /// manager.servers[.docker] = Server("http://docker").reached(at: .unixSocket("/run/docker.sock"))
    /// manager.servers[.store] = Server("https://store.example").reached(at: .host("10.0.0.7", port: 8443))
    /// ```
    ///
    /// A socket or a host is for the origin of the call's own URL: a redirect to another origin goes the usual way. No
    /// proxy is used on the way to it. ``ServerRoute/addresses(_:)`` holds wherever the call leads.
    ///
    /// - Parameter route: The place. One that cannot be used makes the call fail with
    ///   ``RestClientError/Code-swift.struct/connectionFailed``.
    /// - Returns: A changed copy.
    public consuming func reached(at route: ServerRoute) -> Self {
        if case .unusable(let reason) = route.place {
            options.note(RestClientError(.connectionFailed, "the place in .reached(at:) cannot be used: \(reason)"))
        }
        options[.serverRoute] = route
        return self
    }
}

extension CallOptionKey<ServerRoute> {
    static var serverRoute: Self {
        Self("reached at", decidesResponse: true, comparison: .byValue, needs: .wire) { $0.description }
    }
}
