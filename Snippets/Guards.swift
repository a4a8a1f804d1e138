// SPDX-License-Identifier: MIT
// snippet.hide
import RestClient

struct Order: Decodable { let id: Int }
extension ServerAlias {
    static let store: ServerAlias = "store"
    static let maps: ServerAlias = "maps"
}
extension APIAlias where Model == [Order] { static var orders: Self { "orders" } }

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

configure()
manager.apis[.orders] = API(.get, "/orders")
try await call()
