// SPDX-License-Identifier: MIT

// snippet.hide
import RestClient

struct User: Decodable { let id: Int }
struct Cart: Decodable { let items: Int }

let manager = RestClientManager()
manager.servers["store"] = "https://api.example.com"
manager.defaultServer = "store"
manager.dummies.mode = .strict
manager.dummies.register(.get, "/users/{id}") { request in .text("{\"id\":\(request.parameters["id"] ?? "0")}") }
manager.dummies.register(.get, "/users/{id}/cart") { _ in .text(#"{"items":3}"#) }

func orchestrate() async throws {
    let userNode = manager.request(User.self).endpoint("/users/{id}").parameter("id", 7)
    let cartNode = manager.request(Cart.self).endpoint("/users/{id}/cart").parameter("id", 7)
    // snippet.show
    // Concurrently, each result in its own type; the pool limits how many are on the wire.
    let (user, cart) = try await manager.concurrently(userNode, cartNode)

    // One after the other: each step receives the result of the previous one.
    let cartOfUser = RequestNode(Cart.self).endpoint("/users/{id}/cart")
        .handover { node, previous in
            node.parameter("id", try previous.value(as: User.self).id)
        }
    let count = LocalJob("count") { previous in try previous.value(as: Cart.self).items }
    let report = await manager.serially([userNode, cartOfUser, count])
    print(report.outcomes, report.stopped)

    // An identifier made ahead: to observe a group, and to cancel it, before it begins.
    let id = GroupID()
    let observation = manager.observe(.all.group(id)) { event in print(event) }
    let carts = await manager.concurrently([cartNode, cartNode], id: id)
    manager.cancelGroup(id)  // false: it has ended
    observation.cancel()

    // The same value as of a graph, for timelines and build servers: of a group, of a chain and of one call.
    let whole = carts.report
    let single = try await userNode.response().report
    print(whole.duration, single.nodes[0].spans)
    // snippet.hide
    print(user, cart)
}

try await orchestrate()
