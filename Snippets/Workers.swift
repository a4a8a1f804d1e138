// SPDX-License-Identifier: MIT

// snippet.hide
import RestClient

struct Order: Decodable, Sendable { let id: Int }

extension ServerAlias {
    static let store: ServerAlias = "store"
    static let archive: ServerAlias = "archive"
}
extension APIAlias where Model == [Order] { static var orders: Self { "orders" } }

// snippet.show
var configuration = RestClientManager.Configuration()
configuration.workerCount = 16
configuration.workerLimits = [.store: 4]
let manager = RestClientManager(configuration: configuration)
// snippet.hide
manager.servers[.store] = "https://api.example.com"
manager.servers[.archive] = "https://archive.example.com"
manager.defaultServer = .store
manager.apis[.orders] = API(.get, "/orders")
manager.dummies.mode = .strict
manager.dummies.register(.get, "/orders") { _ in .text(#"[{"id":1}]"#) }

func work() async throws {
    // snippet.show

    // While all workers are busy, a request that a user waits for goes before a prefetch.
    let page = manager.request(.orders).query(["page": 1]).priority(.high)
    let ahead = manager.request(.orders).query(["page": 2]).priority(.low)
    let index = LocalJob("index") { try await rebuildIndex() }.priority(.low)

    // The limits may be changed while work runs; waiters begin at once.
    manager.workers.size = 32
    manager.workers.limits[.store] = 8
    manager.workers.limits[.archive] = 1

    // The running and the waiting work, with servers and durations.
    print(manager.workers.snapshot())
    // snippet.hide
    let (orders, _, _) = try await manager.concurrently(page, ahead, index)
    print(orders)
}

func rebuildIndex() async throws {}

try await work()
