// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient
import RestEssentials
import Synchronization

/// The server of a simulation, which outlives the processes that call it, and knows what it did.
final class SimulatedServer: Sendable {
    private struct State {
        var generator: SplitMix64
        var weather: Weather
        var serial = 0
        var versions: [String: Int] = [:]
        /// For each state of each item: the number of the latest request to which the server said that it is current.
        var confirmations: [String: Int] = [:]
        /// How often the server acted on each order.
        var orders: [String: Int] = [:]
        /// The responses to requests with an idempotency key.
        var keyed: [String: RawResponse] = [:]
        var lastToken = 0
        /// The tokens that are valid, with the time of their expiry.
        var tokens: [String: Duration] = [:]
        /// Until when every request fails.
        var outageEnd = Duration.zero
    }

    private static let key = HTTPField.Name("Idempotency-Key")
    private let state: Mutex<State>

    init(seed: UInt64, weather: Weather) {
        state = Mutex(State(generator: SplitMix64(seed: seed), weather: weather))
    }

    // MARK: - Knowledge

    /// How often the server acted on an order.
    func acts(on order: String) -> Int { state.withLock { $0.orders[order] ?? 0 } }

    /// The orders on which the server acted more than once.
    var repeatedOrders: [String] { state.withLock { $0.orders.filter { $0.value > 1 }.keys.sorted() } }

    /// The number of the latest request at which a state of an item was current.
    func confirmation(of item: Item) -> Int { state.withLock { $0.confirmations["\(item.name)#\(item.version)"] ?? 0 } }

    /// The number of requests so far.
    var serial: Int { state.withLock { $0.serial } }

    /// Returns true if the server acted on a request whose key begins with a text.
    func hasActed(onKey prefix: String) -> Bool {
        state.withLock { $0.keyed.keys.contains { $0.hasPrefix(prefix) } }
    }

    func change(to weather: Weather) {
        state.withLock { state in
            state.weather = weather
            state.outageEnd = .zero
        }
    }

    // MARK: - Requests

    func respond(to request: TransportRequest) -> RawResponse {
        let now = Scheduler.shared.now
        return state.withLock { state in
            state.serial += 1
            let parts = request.url.split(separator: "?")[0].split(separator: "/").map(String.init)
            let (kind, name) = (parts.dropLast().last ?? "", parts.last ?? "")
            if state.generator.isHit(state.weather.revocations) {
                state.tokens = [:]
            }
            if name == "sign-in" {
                return Self.issue(&state, now)
            }
            let token = request.headers[.authorization].map { String($0.dropFirst("Bearer ".count)) }
            guard let token, let end = state.tokens[token], now < end else {
                return Self.response(.unauthorized, nil)
            }
            return Self.respond(kind, name, request, &state, now)
        }
    }

    private static func respond(
        _ kind: String,
        _ name: String,
        _ request: TransportRequest,
        _ state: inout State,
        _ now: Duration
    ) -> RawResponse {
        if state.generator.isHit(state.weather.serverFaults / 20) {
            state.outageEnd = now + .milliseconds(500)
        }
        let fault = state.generator.isHit(state.weather.serverFaults) ? Int(state.generator.next() % 4) : nil
        if now < state.outageEnd || fault == 0 {
            return response(.serviceUnavailable, nil, [.retryAfter: "0"])
        }
        if fault == 1 {
            return response(.tooManyRequests, nil, [.retryAfter: "1"])
        }
        let done: RawResponse
        switch (kind, request.method) {
        case ("items", .get): done = read(name, request, &state)
        case ("items", .put): done = write(name, &state)
        case ("orders", .post): done = order(name, request, &state)
        default: done = response(.notFound, nil)
        }
        // Of what these say, the client cannot know that it was done.
        return fault == nil ? done : response(fault == 2 ? .internalServerError : .badGateway, nil)
    }

    private static func read(_ name: String, _ request: TransportRequest, _ state: inout State) -> RawResponse {
        let version = state.versions[name] ?? 0
        let tag = "\"\(name)-\(version)\""
        let age = [0, 1, 60].randomElement(using: &state.generator) ?? 1
        let fields: HTTPFields = [.eTag: tag, .cacheControl: "max-age=\(age)"]
        state.confirmations["\(name)#\(version)"] = state.serial
        if request.headers[.ifNoneMatch] == tag {
            return response(.notModified, nil, fields)
        }
        return response(.ok, item(name, version, state.serial), fields)
    }

    private static func write(_ name: String, _ state: inout State) -> RawResponse {
        state.versions[name, default: 0] += 1
        let body = item(name, state.versions[name] ?? 0, state.serial)
        return response(.ok, body, [.cacheControl: "no-store"])
    }

    private static func order(_ name: String, _ request: TransportRequest, _ state: inout State) -> RawResponse {
        let key = Self.key.flatMap { request.headers[$0] }
        if let key, let known = state.keyed[key] {
            return known
        }
        state.orders[name, default: 0] += 1
        let body = item(name, state.orders[name] ?? 0, state.serial)
        let done = response(.created, body, [.cacheControl: "no-store"])
        if let key {
            state.keyed[key] = done
        }
        return done
    }

    private static func issue(_ state: inout State, _ now: Duration) -> RawResponse {
        if state.generator.isHit(state.weather.serverFaults) {
            return response(.serviceUnavailable, nil)
        }
        state.lastToken += 1
        let token = "token-\(state.lastToken)"
        let lifetime = state.weather.tokenLifetime
        // The client hears of it later, so it may take the token to be valid for longer than it is.
        state.tokens[token] = now + .seconds(lifetime) + .milliseconds(300)
        return response(.ok, "{\"token\": \"\(token)\", \"lifetime\": \(lifetime)}", [.cacheControl: "no-store"])
    }

    private static func response(
        _ status: HTTPResponse.Status,
        _ body: String?,
        _ fields: HTTPFields = [:]
    ) -> RawResponse {
        var headers = fields
        guard let body else {
            return RawResponse(status: status, headers: headers)
        }
        headers[.contentType] = "application/json"
        return RawResponse(status: status, headers: headers, body: Data(body.utf8))
    }

    private static func item(_ name: String, _ version: Int, _ serial: Int) -> String {
        "{\"name\": \"\(name)\", \"version\": \(version), \"serial\": \(serial)}"
    }
}
