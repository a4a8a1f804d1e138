// SPDX-License-Identifier: MIT

import HTTPWire
import RestEssentials

/// The choice of the way on which a request is sent: pure but for the environment of the process.
package final class RequestWay: Sendable {
    /// A way, and who chose it.
    struct Choice {
        var way: WireWay
        /// The one who chose it, as in `the variable HTTPS_PROXY`; `nil` for the usual way.
        var source: String?

        static let direct = Choice(way: .direct)
    }

    /// The way of a call for which no level says anything.
    static let usual = RequestWay(.environment, source: nil, route: .usual)

    private let proxy: ProxyPolicy
    private let route: ServerRoute
    /// The level that chose the proxy; `nil` if none did.
    private let source: String?
    /// False if the request goes straight to the addresses of its host, whatever its URL.
    private let mayDiffer: Bool

    /// True if a level says something of the way.
    let isDemanded: Bool

    init(_ proxy: ProxyPolicy, source: String?, route: ServerRoute, isDemanded: Bool = false) {
        self.proxy = proxy
        self.source = source
        self.route = route
        self.isDemanded = isDemanded
        let hasProxy =
            switch proxy.choice {
            case .none: false
            case .environment(let environment, _): !(environment ?? .process).isEmpty
            case .server, .unusable: true
            }
        mayDiffer = hasProxy || route.place != .usual
    }

    /// Returns the way to a URL.
    ///
    /// - Parameters:
    ///   - text: The URL.
    ///   - isHandedOver: True if the connection is to carry another protocol, which needs a tunnel.
    /// - Returns: The way, and who chose it.
    /// - Throws: ``RestClientError`` if the way is needed and cannot be used.
    func choice(for text: String, isHandedOver: Bool = false) throws(RestClientError) -> Choice {
        guard mayDiffer, let url = try? HTTPURL(sent: text) else {
            return .direct
        }
        var lookup: WireLookup?
        switch route.place {
        case .usual:
            break
        case .socket(let path):
            return Choice(way: .socket(path: path), source: ".reached(at:)")
        case .host(let host, let port):
            return Choice(way: .host(host, port: port ?? url.effectivePort), source: ".reached(at:)")
        case .lookup(let own):
            lookup = own
        case .unusable(let reason):
            throw RestClientError(.connectionFailed, "the place in .reached(at:) cannot be used: \(reason)")
        }
        guard let (server, source) = try proxy(for: url) else {
            return Choice(way: .names(lookup), source: lookup.map { _ in ".reached(at:)" })
        }
        let isForwarded = server.speaksHTTP && url.scheme == "http" && !isHandedOver
        return Choice(way: isForwarded ? .forwarding(server) : .tunnel(server, lookup), source: source)
    }

    private func proxy(for url: HTTPURL) throws(RestClientError) -> (proxy: WireProxy, source: String)? {
        switch proxy.choice {
        case .none:
            return nil
        case .environment(let given, let coversLoopback):
            let environment = given ?? .process
            guard let (proxy, variable) = try environment.proxy(for: url, coversLoopback: coversLoopback) else {
                return nil
            }
            return (proxy, "the variable \(variable)")
        case .server(let server, let exceptions):
            guard !exceptions.contains(url.host, port: url.effectivePort) else {
                return nil
            }
            return (server.wire, source.map { ".proxy(_:) of the \($0)" } ?? ".proxy(_:)")
        case .unusable(let reason):
            throw RestClientError(.proxyFailed, "the URL of the proxy in .proxy(.server(_:)) cannot be used: \(reason)")
        }
    }
}

extension RequestWay.Choice {
    /// The way in words that follow `the request went`; `nil` for the usual one.
    var words: String? {
        guard let source else {
            return nil
        }
        return switch way {
        case .names: "to an address that the function of \(source) found"
        case .host(let host, let port): "to \(host) at port \(port), as \(source) says"
        case .socket(let path): "to the socket '\(path)', as \(source) says"
        case .forwarding(let proxy): "through the proxy \(proxy), which \(source) names"
        case .tunnel(let proxy, _): "through a tunnel of the proxy \(proxy), which \(source) names"
        }
    }

    /// The sentence for the story of a call.
    func sentence(_ steps: WireSteps?) -> String? {
        words.map { words in
            guard let steps else {
                return "the request went \(words)"
            }
            let times = steps.durations.map { "\($0.name) \(Duration.nanoseconds(Int64(clamping: $0.nanoseconds)))" }
            return "the request went \(words); a connection was made: \(times.joined(separator: ", "))"
        }
    }
}

extension TransportRequest {
    /// Sets the way by the options of a call.
    ///
    /// - Parameters:
    ///   - options: The options.
    ///   - hasOwnOrigin: True if the request goes to the origin of the call, whose place they may say.
    ///   - asksEnvironment: True if the proxy of the process's environment is used when no level says otherwise.
    mutating func setWay(by options: CallOptions, hasOwnOrigin: Bool, asksEnvironment: Bool) {
        let (proxy, route) = (options[.proxy], options[.serverRoute])
        guard proxy != nil || route != nil else {
            way = asksEnvironment ? .usual : nil
            return
        }
        var place = route ?? .usual
        switch place.place {
        case .socket, .host:
            // Another origin, to which a redirect may have led, is somewhere else.
            place = hasOwnOrigin ? place : .usual
        case .usual, .lookup, .unusable:
            break
        }
        way = RequestWay(
            proxy ?? (asksEnvironment ? ProxyPolicy.environment : ProxyPolicy.none),
            source: options.level(of: .proxy).map { "\($0)" },
            route: place,
            isDemanded: true
        )
    }

    /// Checks that a transport goes the way of the request, if a level chose it.
    func checkWay(over transport: any Transport) throws(RestClientError) {
        guard let way, way.isDemanded, !transport.followsRoutes, let words = try way.choice(for: url).words else {
            return
        }
        throw RestClientError(
            .transportFailed,
            "\(type(of: transport)) sends no request \(words), so it was not sent; use DirectTransport, or leave the "
                + "option out"
        )
    }
}

extension RestClientError {
    /// True for the failure of a proxy that may do better with the next connection.
    var mayPass: Bool { (underlying as? ProxyFault)?.isTransient ?? false }
}
