// SPDX-License-Identifier: MIT

// snippet.hide
import RestClient

struct Order: Decodable { let id: Int }
extension ServerAlias { static let store: ServerAlias = "store" }
extension APIAlias where Model == [Order] { static var orders: Self { "orders" } }
extension APIAlias where Model == Void { static var pay: Self { "pay" } }

let manager = RestClientManager()
manager.dummies.mode = .strict
manager.dummies.register(.get, "/orders") { _ in .json([["id": 1]]) }

func configure() async throws {
    // snippet.show
    // Every call; may be changed while calls run.
    manager.options = manager.options.timeout(.seconds(30)).retry(.standard)
    // The calls of a server, of an API, and one call: the innermost level wins.
    manager.servers[.store] = Server("https://api.example.com/v1").header(.userAgent, "store-sync/2.1")
    manager.apis[.orders] = API(.get, "/orders").cache(.http).timeout(.seconds(5))
    manager.apis[.pay] = API(.post, "/pay").retry(.never)
    let orders = try await manager.request(.orders).server(.store).timeout(.seconds(2)).send()
    // snippet.hide
    print(orders)
}

try await configure()

func code() {
    // snippet.show
    // The names of members and the format of dates: in requests, responses, errors and dummies.
    manager.options = manager.options.coding(keys: .snakeCase, dates: .secondsSince1970)
    // Texts for users, by the status of the response.
    manager.apis[.pay] = API(.post, "/pay").errorTexts([.conflict: "The order was paid for already."])
    // snippet.hide
}

func limit(_ configuration: inout RestClientManager.Configuration) throws {
    // snippet.show
    // A whole call may take 30 seconds, and each of its attempts eight.
    manager.servers[.store] = Server("https://api.example.com/v1")
        .timeout(.seconds(30)).timeouts(attempt: .seconds(8)).retry(.standard)
        .limits(body: 8 << 20, decompression: 200, headerFields: 100, headerBytes: 32 << 10)
    // What no level sets belongs to the transport.
    var connections = DirectTransport.Configuration()
    connections.interimResponseLimit = 10
    configuration.transport = try DirectTransport(configuration: connections)
    // snippet.hide
}

func retry() {
    // snippet.show
    // Three attempts, for these two statuses and for nothing else.
    var policy = RetryPolicy(attempts: 3)
    policy.isRetryable = { error in
        let status = (error as? RestClientError)?.status
        return status == .badGateway || status == .serviceUnavailable
    }
    manager.apis[.orders] = API(.get, "/orders").retry(policy)
    // snippet.hide
}

func pay() async throws {
    // snippet.show
    // The server acts once on requests with one key: a lost response is no reason not to send a POST again.
    manager.apis[.pay] = API(.post, "/pay").idempotencyKey(.perCall).retry(.standard)
    try await manager.request(.pay).idempotencyKey(.of("order-7")).send()
    // snippet.hide
}

func configureTheSharedManager() throws {
    // snippet.show
    // Before its first use, and once.
    var configuration = RestClientManager.Configuration()
    configuration.workerCount = 16
    configuration.options = CallOptions().timeout(.seconds(20))
    configuration.sharedData.busyTimeout = .seconds(5)
    try RestClientManager.configureShared(configuration)
    // snippet.hide
}

// snippet.show

// An option of your own, which interceptors read.
extension CallOptionKey<String> { static var tenant: Self { Self("tenant") } }

struct TenantHeader: Interceptor {
    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        var request = request
        request.headers[.userAgent] = request.call.options[.tenant].map { "store-sync (\($0))" }
        return try await next(request)
    }
}
// snippet.hide
