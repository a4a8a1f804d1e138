// SPDX-License-Identifier: MIT

// snippet.hide
import RestClient

struct Order: Codable { let id: Int }

extension APIAlias where Model == [Order] { static var orders: Self { "orders" } }
extension APIAlias where Model == Void { static var placeOrder: Self { "placeOrder" } }

let manager = RestClientManager()
manager.servers["store"] = "https://api.example.com/v1"
manager.defaultServer = "store"
manager.apis[.orders] = API(.get, "/orders").cache(.elseNetwork(maxAge: .seconds(3600)))
manager.apis[.placeOrder] = API(.post, "/orders").invalidates(.api(.orders))
manager.dummies.mode = .strict
manager.dummies.register(.get, "/orders") { _ in .text(#"[{"id":1},{"id":2}]"#) }
manager.dummies.register(.post, "/orders") { _ in .status(.created) }

func cache() async throws {
    // snippet.show
    // The stored response first, and then the server's.
    for try await response in manager.request(.orders).cache(.thenNetwork).responses() {
        print(response.model, response.source, response.cache)
    }

    // The server's response if it can be reached, otherwise the stored one.
    let orders = try await manager.request(.orders).cache(.networkElseCache(on: [.unreachable, .timeout])).send()

    // A write invalidates stored responses; they are revalidated before their next use.
    try await manager.request(.placeOrder).body(Order(id: 3)).send()

    // Manual changes.
    try await manager.cache.update(manager.request(.orders)) { $0.append(Order(id: 4)) }
    try await manager.cache.invalidate(.api(.orders), .tag("user 7"), .path("/v1/users/7"))
    print(try await manager.cache.entries().count)
    // snippet.hide
    print(orders)
}

try await cache()
