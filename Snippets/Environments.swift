// SPDX-License-Identifier: MIT

// snippet.hide
import RestClient

struct Order: Decodable { let id: Int }
extension ServerAlias { static let store: ServerAlias = "store" }
extension APIAlias where Model == [Order] { static var orders: Self { "orders" } }

let manager = RestClientManager()
manager.dummies.mode = .strict
manager.dummies.register(.get, "/orders") { _ in .json([["id": 1]]) }

// snippet.show
extension EnvironmentAlias {
    static let production: EnvironmentAlias = "production"
    static let staging: EnvironmentAlias = "staging"
}

// The settings that all environments share.
manager.defaultServer = .store
manager.apis[.orders] = API(.get, "/orders")
// The settings that differ between them.
manager.environments[.production] = ClientEnvironment(servers: [.store: "https://api.example.com/v1"])
manager.environments[.staging] = ClientEnvironment(
    servers: [.store: Server("https://staging.example.com/v1").bearer("staging-token")]
)
.timeout(.seconds(120))

// STORE_ENVIRONMENT=staging selects the staging system; an unknown name is an error.
try manager.environments.use(fromVariable: "STORE_ENVIRONMENT", else: .production)
// snippet.hide

func test() async throws {
    // snippet.show
    // For the calls of one task, as in a test: other tasks do not see it.
    let orders = try await manager.withEnvironment(.staging) {
        try await manager.request(.orders).send()
    }
    // snippet.hide
    print(orders)
}

try await test()
// snippet.show
