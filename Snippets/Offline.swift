// SPDX-License-Identifier: MIT

// snippet.hide
import RestClient

struct Order: Codable { let id: Int }

let manager = RestClientManager()
// snippet.show
manager.servers["store"] = "https://api.example.com/v1"
manager.defaultServer = "store"
manager.dummies.mode = .strict
manager.dummies.register(.get, "/users/{user}/orders", delay: .milliseconds(80)) { request in
    .json([Order(id: Int(request.parameters["user"] ?? "") ?? 0)])
}
let orders = try await manager.request([Order].self).endpoint("/users/7/orders").send()
// snippet.hide
print(orders)
