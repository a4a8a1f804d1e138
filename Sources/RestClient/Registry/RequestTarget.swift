// SPDX-License-Identifier: MIT

/// The place that a request goes to.
///
/// A later verb replaces what it makes meaningless. A whole URL contradicts a server, an address and an endpoint behind
/// it: the request would go to somewhere else than one of the two says.
struct RequestTarget: Sendable, Hashable {
    /// How the server is named.
    enum ServerReference: Sendable, Hashable {
        case defaultServer
        case key(ServerAlias)
        case address(String)
        /// The whole URL, which leaves nothing to fill in.
        case url(String)
    }

    private(set) var server = ServerReference.defaultServer
    private(set) var api: String?
    private(set) var endpoint: PathTemplate?

    /// The whole URL of a further page of the operation, which replaces the one that the target makes.
    private(set) var page: String?

    /// The verb that contradicts the whole URL, as in `server(_:)`; `nil` when none does.
    private(set) var contradiction: String?

    /// Aims at an address; forgets server and API aliases.
    mutating func setAddress(_ address: String) {
        guard !isWholeURL else {
            contradiction = contradiction ?? "serverAddress(_:)"
            return
        }
        server = .address(address)
        api = nil
    }

    /// Aims at a server's alias; forgets the address and the API alias.
    mutating func setServer(_ alias: ServerAlias) {
        guard !isWholeURL else {
            contradiction = contradiction ?? "server(_:)"
            return
        }
        server = .key(alias)
        api = nil
    }

    /// Aims at an endpoint of the server; forgets the API alias.
    mutating func setEndpoint(_ endpoint: PathTemplate) {
        guard !isWholeURL else {
            contradiction = contradiction ?? "endpoint(_:)"
            return
        }
        self.endpoint = endpoint
        api = nil
    }

    /// Aims at an API alias; forgets everything else.
    mutating func setAPI(_ name: String) {
        self = RequestTarget()
        api = name
    }

    /// Aims at a whole URL; forgets endpoint and API alias.
    mutating func setURL(_ url: String) {
        switch server {
        case .key: contradiction = contradiction ?? "server(_:)"
        case .address: contradiction = contradiction ?? "serverAddress(_:)"
        case .defaultServer, .url: break
        }
        server = .url(url)
        endpoint = nil
        api = nil
    }

    /// Aims at a further page of the same operation, at a URL that its server named.
    mutating func setPage(_ url: String) {
        page = url
    }

    /// Aims at the same place with the scheme of HTTP, for which WebSockets have names of their own.
    mutating func replaceWebSocketScheme() {
        switch server {
        case .address(let address): server = .address(Self.withHTTPScheme(address))
        case .url(let url): server = .url(Self.withHTTPScheme(url))
        case .defaultServer, .key: break
        }
    }

    private static func withHTTPScheme(_ address: String) -> String {
        guard let colon = address.firstIndex(of: ":") else {
            return address
        }
        switch address[..<colon].lowercased() {
        case "ws": return "http" + address[colon...]
        case "wss": return "https" + address[colon...]
        default: return address
        }
    }

    private var isWholeURL: Bool {
        if case .url = server { true } else { false }
    }
}
