// SPDX-License-Identifier: MIT

import RestClient
import Synchronization

/// How a call reaches its server, as a request line or the registration of a server says it.
struct Route: Decodable, Sendable {
    /// The values of `http`.
    enum Version: String, Decodable {
        case auto
        case http1 = "1.1"
        case http2 = "2"
        case plainHTTP2 = "2-prior-knowledge"
    }

    /// A registration, as its line has it.
    struct Line: Decodable {
        let register: Route
    }

    private enum CodingKeys: String, CodingKey {
        case proxy, proxyEnvironment, proxyLoopback, unixSocket, resolve, ca, http
    }

    static let names: Set<String> = [
        "proxy", "proxyEnvironment", "proxyLoopback", "unixSocket", "resolve", "ca", "http",
    ]

    /// Connections are shared by the calls of one place, so that equal fields need the same one.
    private static let known = Mutex<[[String: String]: ServerRoute]>([:])

    /// The file of trust roots.
    let ca: String?
    let http: Version?
    private let proxy: ProxyPolicy?
    private let place: ServerRoute?

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        ca = try container.decodeIfPresent(String.self, forKey: .ca)
        http = try container.decodeIfPresent(Version.self, forKey: .http)
        guard http != .plainHTTP2 else {
            throw UnsupportedField(name: "http 2-prior-knowledge")
        }
        let variables = try container.decodeIfPresent([String: String].self, forKey: .proxyEnvironment)
        let coversLoopback = try container.decodeIfPresent(Bool.self, forKey: .proxyLoopback) ?? false
        if let url = try container.decodeIfPresent(String.self, forKey: .proxy) {
            proxy = .server(url)
        } else if container.contains(.proxy) {
            proxy = ProxyPolicy.none
        } else {
            proxy = variables.map { .environment($0, coversLoopback: coversLoopback) }
        }
        if let path = try container.decodeIfPresent(String.self, forKey: .unixSocket) {
            place = .unixSocket(path)
        } else {
            let table = try container.decodeIfPresent([String: String].self, forKey: .resolve)
            place = try table.map { try Self.place(by: $0) }
        }
    }

    /// Returns a node or a server with these options.
    func applied<Target: CallConfigurable>(to target: Target) -> Target {
        var target = target
        if let proxy {
            target = target.proxy(proxy)
        }
        if let place {
            target = target.reached(at: place)
        }
        return target
    }

    /// Returns the place of a table of addresses by host and port.
    private static func place(by table: [String: String]) throws -> ServerRoute {
        var addresses: [String: String] = [:]
        for (name, address) in table {
            let port = address.split(separator: ":", omittingEmptySubsequences: false).last.flatMap { UInt16($0) }
            guard port != nil, address.contains("]:") || address.count(where: { $0 == ":" }) == 1 else {
                throw WireError(text: "'\(address)' in resolve is no address with a port")
            }
            addresses[name.lowercased().filter { $0 != "[" && $0 != "]" }] = address
        }
        let found = addresses
        return known.withLock { known in
            if let place = known[found] {
                return place
            }
            let place = ServerRoute.addresses { host, port in
                found["\(host.lowercased()):\(port)"].map { [$0] }
            }
            known[found] = place
            return place
        }
    }
}

/// The ways that registrations tell.
final class Routes: Sendable {
    private struct State {
        var servers: [String: Route] = [:]
        /// The names of the servers of APIs.
        var apis: [String: String] = [:]
    }

    private let state = Mutex(State())

    func note(_ route: Route, of registration: Registration) {
        state.withLock { state in
            if let api = registration.api {
                state.apis[api] = registration.server
            } else if let server = registration.server {
                state.servers[server] = route
            }
        }
    }

    /// Returns the trust and the version of a request, whose own line wins.
    func terms(of request: WireRequest, _ route: Route) -> ChosenTransport.Terms {
        let registered = state.withLock { state in
            (request.server ?? request.api.flatMap { state.apis[$0] }).flatMap { state.servers[$0] }
        }
        return ChosenTransport.Terms(
            ca: route.ca ?? registered?.ca,
            version: route.http ?? registered?.http ?? .auto
        )
    }
}
