// SPDX-License-Identifier: MIT

// snippet.hide
import RestClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct Order: Decodable { let id: Int }
extension ServerAlias {
    static let store: ServerAlias = "store"
    static let maps: ServerAlias = "maps"
}
struct Price: Decodable { let cents: Int }
extension ServerAlias { static let mirror: ServerAlias = "mirror" }
extension APIAlias where Model == [Order] { static var orders: Self { "orders" } }
extension APIAlias where Model == [Price] { static var prices: Self { "prices" } }

let manager = RestClientManager()
manager.dummies.mode = .strict
manager.dummies.register(.get, "/orders") { _ in .json([["id": 1]]) }
manager.defaultServer = .store

func configure() {
    // snippet.show
    manager.servers[.store] = Server("https://api.example.com/v1")
        .rateLimit(.perSecond(20, burst: 5))
        .concurrency(8)
        .circuitBreaker(.standard)
        .retry(.standard).retryBudget(.standard)
    manager.servers[.maps] = Server("https://maps.example.com").rateLimit(.learned).concurrency(.adaptive())
    manager.servers[.mirror] = Server("https://mirror.example.com").rateLimit(.window(100, per: .seconds(60)))
    // snippet.hide
}

func share(_ directory: URL) throws {
    // snippet.show
    // Processes that use one directory share this limit.
    try manager.persist(in: directory)
    manager.servers[.maps] = Server("https://maps.example.com").rateLimit(.perSecond(20).sharedAcrossProcesses())
    // snippet.hide
}

func tellTheTime() {
    // snippet.show
    if let field = HTTPField.Name("Request-Timeout") {
        manager.options = manager.options.timeout(.seconds(10)).deadlineField(field)  // as in "Request-Timeout: 9.750"
    }
    // snippet.hide
}

func call() async throws {
    // snippet.show
    do {
        _ = try await manager.request(.orders).send()
    } catch let error as RestClientError where error.code == .circuitOpen {
        let refusal = error.underlying as? CircuitRefusal
        print("the store is down; it is asked again in", refusal?.probesIn ?? .zero)
    }
    // snippet.hide
}

func hedge() {
    // snippet.show
    manager.apis[.orders] = API(.get, "/orders").hedging(.percentile(0.95))
    // snippet.hide
}

func fallBack() {
    // snippet.show
    manager.apis[.prices] = API(.get, "/prices").cache()
        .fallback(.server(.mirror), .cache(maxAge: .seconds(86_400)), .value([Price]()))
    // snippet.hide
}

func probe() async throws {
    // snippet.show
    let probe = manager.reachability(of: .store)
    let watch = probe.watch(every: .seconds(20))  // until the token is cancelled or released
    for await state in probe.states where state == .unreachable {
        print("the store does not respond; calls to it still begin, and may fail")
        break
    }
    watch.cancel()
    // snippet.hide
}

configure()
manager.apis[.orders] = API(.get, "/orders")
try await call()
hedge()
fallBack()
