// SPDX-License-Identifier: MIT

// snippet.hide
import RestClient
import RestClientTesting

struct Order: Codable, Equatable { let id: Int }
struct NewOrder: Codable { let item: Int }
extension APIAlias where Model == [Order] { static var orders: Self { "orders" } }

let manager = RestClientManager()
manager.servers["store"] = "https://api.example.com/v1"
manager.defaultServer = "store"
manager.apis[.orders] = API(.get, "/orders")
manager.dummies.mode = .strict
// snippet.show
manager.dummies.register {
    // Responds to calls of the API with a model of its type.
    Dummy(.orders, responding: [Order(id: 7)])
    // Has path parameters, header fields and the decoded model.
    Dummy(.post, "/users/{user}/orders")
        .responds { request in
            let order = try request.model(NewOrder.self)
            return request.headers[.authorization] == nil
                ? .status(.unauthorized)
                : .json(Order(id: order.item), status: .created)
        }
    // Responds to these requests only, twice, after a delay.
    Dummy(.get, "/search")
        .matching(.query("page", 2), .header(.accept, "application/json"))
        .times(2)
        .delay(.uniform(.milliseconds(20)...(.milliseconds(80)), seed: 7))
        .responds(.json([Order(id: 8)]))
    // Fails in two ways, and then works.
    Dummy(.get, "/flaky").responds(.connectionReset).then(.status(.serviceUnavailable)).then(.json([Order(id: 9)]))
    // Depends on earlier requests.
    Dummy(.get, "/cart").scenario("cart", in: Dummy.startState).responds(.json([Order]()))
    Dummy(.get, "/cart").scenario("cart", in: "filled").responds(.json([Order(id: 7)]))
    Dummy(.post, "/cart").scenario("cart", becomes: "filled").responds(.status(.created))
}

try await manager.withDummies(.strict, [Dummy(.get, "/orders").responds(.json([Order(id: 1)]))]) {
    let orders = try await manager.request(.orders).send()
    print(orders)
    try manager.dummies.verify(Dummy(.get, "/orders"), times: 1)
}

try await LoopbackServer.with(.http1) { server in
    manager.servers["store"] = Server(server.url)
    server.on(.get, "/orders") { _ in .json(#"[{"id": 7}]"#) }
    server.on(.get, "/cut") { _ in .text("half a bo").claimingLength(100) }

    let orders = try await manager.request(.orders).dummies(.off).send()
    print(orders, server.requests.map(\.path))
}
// snippet.hide

// snippet.show
try await LoopbackServer.with { server in
    manager.servers["store"] = Server(server.url)
    let gate = Gate()
    server.on(.get, "/cut") { _ in .text("half a bo").claimingLength(100) }
    server.on(.get, "/reset") { _ in .text("half a bo").claimingLength(100).ending(.reset) }
    server.on(.get, "/stalled") { _ in .text("half a bo").claimingLength(100).ending(.stall) }
    server.on(.get, "/slow") { _ in .chunks(["half a body", .wait(gate), ", and the rest"]) }
    server.on(.get, "/garbage") { _ in .raw("SSH-2.0-OpenSSH_9.9\r\n\r\n") }
    server.on(.get, "/length") { _ in .text("good").claimingLength(2) }
    // The first request gets no response, and the next one does.
    server.onAny { request in request.number == 1 ? .close : .text("good") }

    let text = try await manager.request(String.self).endpoint("/").dummies(.off).retry(.standard).send()
    print(text, server.requests.count)
}
// snippet.hide

// snippet.show
// A tenth of the attempts gets a 503, and some are cut: the same ones in each run, because of the seed.
let chaos = ChaosInterceptor(seed: 7, [.status(.serviceUnavailable, headers: [.retryAfter: "1"]): 0.1, .cut: 0.05])
manager.options = manager.options.interceptors(chaos, perAttempt: true).retry(.standard)
chaos.isEnabled = true
// snippet.hide
chaos.isEnabled = false
print(chaos.injected)
