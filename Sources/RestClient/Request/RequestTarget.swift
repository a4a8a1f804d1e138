// SPDX-License-Identifier: MIT

/// Where a request goes; the last verb wins, as each one clears what it replaces.
struct RequestTarget: Sendable, Hashable {
    /// How the server is named.
    enum ServerReference: Sendable, Hashable {
        case defaultServer
        case key(ServerAlias)
        case address(String)
        /// The whole URL, which leaves nothing to resolve.
        case url(String)
    }

    private(set) var server = ServerReference.defaultServer
    private(set) var api: String?
    private(set) var endpoint: PathTemplate?

    /// Aims at an address; forgets server and API aliases.
    mutating func setAddress(_ address: String) {
        server = .address(address)
        api = nil
    }

    /// Aims at a server's alias; forgets the address and the API alias.
    mutating func setServer(_ key: ServerAlias) {
        server = .key(key)
        api = nil
    }

    /// Aims at an endpoint of the server; forgets the API alias.
    mutating func setEndpoint(_ endpoint: PathTemplate) {
        if case .url = server {
            server = .defaultServer
        }
        self.endpoint = endpoint
        api = nil
    }

    /// Aims at an API alias; forgets everything else.
    mutating func setAPI(_ name: String) {
        server = .defaultServer
        endpoint = nil
        api = name
    }

    /// Aims at a whole URL; forgets everything else.
    mutating func setURL(_ url: String) {
        server = .url(url)
        endpoint = nil
        api = nil
    }
}
