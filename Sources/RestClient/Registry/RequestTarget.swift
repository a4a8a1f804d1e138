// SPDX-License-Identifier: MIT

/// The target of a request.
///
/// A later method replaces the settings that it makes meaningless. A whole URL conflicts with a server, an address or
/// an endpoint set after it, because the request could not go to both. A request of a provider conflicts with every
/// other target.
struct RequestTarget: Sendable, Hashable {
    enum ServerReference: Sendable, Hashable {
        case defaultServer
        case key(ServerAlias)
        case address(String)
        case url(String)
    }

    private(set) var server = ServerReference.defaultServer
    private(set) var api: String?
    private(set) var endpoint: PathTemplate?

    /// The whole URL of a further page of the operation, which replaces the target's own.
    private(set) var page: String?

    /// True if the whole URL is one that another server gave: what the program has set for that server stays there.
    private(set) var isGiven = false

    /// True if the whole URL is one that another server gave, and leads from `https` to `http`.
    private(set) var leavesEncryption = false

    /// The server that replaces the target's own, whose path is kept; `nil` for none.
    private(set) var alternative: ServerAlias?

    /// The method that conflicts with the whole URL or with the confinement, as in `server(_:)`; `nil` when none does.
    private(set) var contradiction: String?

    /// True if the request must stay with its API: a method that chooses another target changes none, but fails the
    /// call.
    private(set) var isConfined = false

    mutating func confine() {
        isConfined = true
    }

    mutating func setAddress(_ address: String) {
        guard canMove(by: "serverAddress(_:)", unless: isFixed) else {
            return
        }
        server = .address(address)
        api = nil
    }

    mutating func setServer(_ alias: ServerAlias) {
        guard canMove(by: "server(_:)", unless: isFixed) else {
            return
        }
        server = .key(alias)
        api = nil
    }

    mutating func setEndpoint(_ endpoint: PathTemplate) {
        guard canMove(by: "endpoint(_:)", unless: isFixed) else {
            return
        }
        self.endpoint = endpoint
        api = nil
    }

    mutating func setAPI(_ name: String) {
        guard !isConfined else {
            contradiction = name == api ? nil : contradiction ?? "api(_:)"
            return
        }
        self = RequestTarget()
        api = name
    }

    mutating func setURL(_ url: String, isGiven: Bool = false, leavingEncryption: Bool = false) {
        guard canMove(by: "url(_:)", unless: isConfined) else {
            return
        }
        switch server {
        case .key: contradiction = contradiction ?? "server(_:)"
        case .address: contradiction = contradiction ?? "serverAddress(_:)"
        case .defaultServer, .url: break
        }
        server = .url(url)
        self.isGiven = isGiven
        leavesEncryption = leavingEncryption
        endpoint = nil
        api = nil
    }

    /// Replaces the server, and keeps the API or the endpoint; conflicts with whole URLs.
    mutating func setAlternative(_ alias: ServerAlias) {
        guard canMove(by: "the fallback to another server", unless: isWholeURL) else {
            return
        }
        alternative = alias
    }

    mutating func setPage(_ url: String) {
        page = url
    }

    /// Replaces the scheme of a WebSocket (`ws`, `wss`) with that of HTTP.
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

    /// Returns false if the target is fixed, and then notes the method as a contradiction.
    private mutating func canMove(by verb: String, unless isFixed: Bool) -> Bool {
        if isFixed {
            contradiction = contradiction ?? verb
        }
        return !isFixed
    }

    private var isWholeURL: Bool {
        if case .url = server { true } else { false }
    }

    private var isFixed: Bool { isConfined || isWholeURL }
}
