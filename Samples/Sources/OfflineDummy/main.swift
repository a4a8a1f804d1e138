// SPDX-License-Identifier: MIT

// The same business code against a real server, and then offline against dummies. Tests/OrderBookTests runs it in a
// test.

import DemoServer
import OrderBook
import RestClient

let manager = RestClientManager()
manager.defaultServer = "shop"
let book = OrderBook(manager: manager)

try await DemoServer.run { address in
    manager.servers["shop"] = Server(address)
    print("online, against \(address):  \(try await book.total(of: "ada"))")
}

// The server is gone. From here on nothing leaves the process.
manager.dummies.mode = .strict
manager.dummies.register { ShopDummies.all }
print("offline, against dummies:  \(try await book.total(of: "ada"))")

do {
    _ = try await manager.request().endpoint("/users/1/order").send()
} catch {
    print("a call without a dummy:\n  \(error)")
}

// Dummies of a task: they come before the others, and only the calls within the scope see them.
do {
    let outage = Dummy(.post, "/login").responds(.connectionReset)
    try await manager.withDummies(.strict, [outage]) { print(try await book.total(of: "ada")) }
} catch {
    print("an outage:\n  \(error)")
}
for dummy in manager.dummies.all { print("  \(dummy): \(dummy.callCount) calls") }
