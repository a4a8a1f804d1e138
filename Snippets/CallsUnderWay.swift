// SPDX-License-Identifier: MIT

// snippet.hide
import RestClient

struct Order: Decodable, Sendable { let id: Int }
extension APIAlias where Model == [Order] { static var orders: Self { "orders" } }

@MainActor
final class Screen {
    func show(_ orders: [Order]) { print(orders.count) }
    func showSpinner() {}
    func showNothingNew() {}
    func showOffline() {}
    func signIn() {}
}

let manager = RestClientManager()
manager.servers["store"] = "https://api.example.com/v1"
manager.defaultServer = "store"
manager.apis[.orders] = API(.get, "/orders")
manager.dummies.mode = .strict
manager.dummies.register(.get, "/orders") { _ in .json([["id": 1]]) }
let screen = Screen()

// snippet.show
let call = manager.request(.orders)
    .tags("screen")
    .cache(.thenNetwork)
    .onStart { MainActor.assumeIsolated { screen.showSpinner() } }
    .onCacheSuccess { orders in MainActor.assumeIsolated { screen.show(orders.model) } }
    .onNotModified { _ in MainActor.assumeIsolated { screen.showNothingNew() } }
    .onSuccess { orders in MainActor.assumeIsolated { screen.show(orders.model) } }
    .onError(of: .network) { _ in MainActor.assumeIsolated { screen.showOffline() } }
    .callbacks(on: MainActor.shared)
    .resume()
// snippet.hide
await call.finished()

// snippet.show
// One place that shows the sign-in, for each call that is rejected.
manager.options = manager.options.onRefusedCredentials { _ in Task { @MainActor in screen.signIn() } }

// The screen is closed, so its calls are cancelled.
manager.calls.cancel(.tag("screen"))

// Before the program ends: wait for running calls.
await manager.calls.finished()

// Calls that are started in this scope end with it.
await manager.withCalls {
    manager.request(.orders).resume()
}
// snippet.hide

func pay() async throws {
    // snippet.show
    // A second tap does not pay twice.
    try await manager.request(Void.self).post().endpoint("/pay").refusingDuplicates(of: "order 7").send()
    // While a synchronization runs, others wait for its response.
    try await manager.request(Void.self).post().endpoint("/sync").sharingFlight(as: "sync").send()
    // snippet.hide
}

// snippet.show
// A type that can read orders, and nothing else.
struct OrderReading: Sendable {
    let orders: APIAlias<[Order]> = "orders"
}
let reading = manager.provider(OrderReading())
let all = try await reading.request(\.orders).send()

// The same registries, with another timeout.
let background = manager.clone(.init().timeout(.seconds(600)))
// snippet.hide
print(all.count, background.servers.all.count)
// snippet.show
