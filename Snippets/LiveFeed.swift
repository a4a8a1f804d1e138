// SPDX-License-Identifier: MIT

// snippet.hide
import RestClient
import RestClientWebSocket

struct Tick: Codable, Sendable {
    let symbol: String
    let price: Double
}
struct Notice: Codable, Sendable { let text: String }
enum Command: Codable, Sendable {
    case subscribe(String)
    case cancel(Int)
}

extension ServerAlias { static let exchange: ServerAlias = "exchange" }
extension APIAlias where Model == Tick { static var ticks: Self { "ticks" } }
extension APIAlias where Model == MarketEvent { static var market: Self { "market" } }

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
// snippet.hide

// snippet.show
// Events of several types over one connection: the name of the event selects the model.
enum MarketEvent: Decodable, Sendable {
    case tick(Tick)
    case notice(Notice)
    case other(String)

    private enum CodingKeys: CodingKey { case event, data }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(String.self, forKey: .event) {
        case "tick": self = .tick(try container.decode(Tick.self, forKey: .data))
        case "notice": self = .notice(try container.decode(Notice.self, forKey: .data))
        case let name: self = .other(name)
        }
    }
}

func watchMarket() async throws {
    for try await event in manager.request(.market).webSocketFeed() {
        switch event {
        case .tick(let tick): print(tick.symbol, tick.price)
        case .notice(let notice): print(notice.text)
        case .other(let name): print("an event of another version:", name)
        }
    }
}
// snippet.hide

// snippet.show
// Messages are compressed if the server agrees.
func compress() {
    var options = WebSocketOptions()
    options.offersCompression = true
    manager.apis[.ticks] = API(.get, "/ticks", server: .exchange).webSocketOptions(options)
}
