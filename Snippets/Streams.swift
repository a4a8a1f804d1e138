// SPDX-License-Identifier: MIT

// snippet.hide
import RestClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct Order: Decodable, Sendable { let id: Int }

extension APIAlias where Model == [Order] { static var export: Self { "export" } }
extension APIAlias where Model == Void {
    static var log: Self { "log" }
    static var feed: Self { "feed" }
}

let manager = RestClientManager()
func store(_ order: Order) async {}
// snippet.show
// One JSON value per line, each decoded as soon as it has arrived.
func importOrders() async throws {
    for try await order in try await manager.request(.export).stream().jsonLines(of: Order.self) {
        await store(order)
    }
}

// The head first, then lines of text.
func follow() async throws {
    let response = try await manager.request(.log).timeout(nil).stream()
    print(response.status, response.headers[.contentType] ?? "")
    for try await line in response.lines() {
        print(line)
    }
}

// Server-sent events; an interrupted feed continues after its last event.
func listen() async throws {
    for try await event in manager.request(.feed).serverSentEvents() {
        print(event.type, event.data)
    }
}

// The same, with the models in the data of some of the events, decoded by the call's dogma.
func listenForOrders() async throws {
    let orders = manager.request(.feed).serverSentEvents(of: Order.self) { $0.type == "order" }
    for try await (event, order) in orders {
        print(event.lastEventID, order.id)
    }
}

// A feed of small events. Five requests in succession may bring nothing; the sixth fails the loop.
func listenClosely() async throws {
    var policy = EventStreamPolicy()
    policy.eventLimit = 64 << 10
    policy.failureLimit = 5
    for try await event in manager.request(.feed).serverSentEvents(policy) {
        print(event.data)
    }
}
// snippet.hide

func registerDummies() {
    // snippet.show
    manager.dummies.register(.get, "/feed") { _ in .serverSentEvents([ServerSentEvent(data: "one")]) }
    manager.dummies.register(.get, "/log") { _ in .stream([Data("first\n".utf8), Data("sec".utf8)]).truncated() }
    // snippet.hide
}
// snippet.show
