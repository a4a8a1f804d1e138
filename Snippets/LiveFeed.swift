// SPDX-License-Identifier: MIT

// snippet.hide
import RestClient
import RestClientWebSocket

struct Tick: Codable, Sendable {
    let symbol: String
    let price: Double
}
enum Command: Codable, Sendable {
    case subscribe(String)
    case cancel(Int)
}

extension ServerAlias { static let exchange: ServerAlias = "exchange" }
extension APIAlias where Model == Tick { static var ticks: Self { "ticks" } }

let manager = RestClientManager()
func session() async throws -> AccessToken { AccessToken("…") }
// snippet.show
let tokens = TokenSource { _ in try await session() }
manager.servers[.exchange] = Server("https://stream.example.com/v1").bearer(tokens)
manager.apis[.ticks] = API(.get, "/ticks", server: .exchange)

// One connection: models in both directions, until the server closes it or the loop is left.
func watchOnce() async throws {
    let socket = try await manager.request(.ticks).webSocket(sending: Command.self)
    try await socket.send(.subscribe("EURUSD"))
    for try await tick in socket {
        print(tick.symbol, tick.price)
    }
    print("closed with", socket.closure?.code ?? .abnormal)
}

// A live feed that reconnects, and subscribes again each time.
func watch() async throws {
    var policy = EventStreamPolicy()
    policy.transientStatuses = [502, 503, 504]
    let feed = manager.request(.ticks)
        .webSocketFeed(policy, sending: Command.self) { socket in
            try await socket.send(.subscribe("EURUSD"))
        }
    for try await tick in feed {
        print(tick.symbol, tick.price)
    }
}

// Offline: a dummy that plays the server's side.
func rehearse() async throws {
    manager.dummies.mode = .strict
    manager.dummies.register(.ticks) { _ in
        .webSocket { socket in
            while let command = try await socket.receive(Command.self) {
                if case .subscribe(let symbol) = command {
                    try await socket.send(Tick(symbol: symbol, price: 1.07))
                }
            }
        }
    }
    try await watchOnce()
}
