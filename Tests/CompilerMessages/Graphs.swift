// SPDX-License-Identifier: MIT

import RestClient

private struct Token: Codable, Sendable {
    var value: String
}

private struct Order: Codable, Sendable {
    var id: Int
}

/// Jobs and requests that are not made in a closure.
private func withoutClosure() {
    var graph = JobGraph("graph")
    let node = RequestNode(Order.self).endpoint("/order")

    // expect: make the job in a closure, as in graph.job("name") { job }
    graph.job("job", LocalJob("local") { 1 })
    // expect: make the job in a closure, as in graph.job("name") { job }
    graph.job("job", options: [.retry(3)], node)
    // expect: make the request in a closure, as in graph.request("name") { node }
    graph.request("request", node)
}

/// Closures with more parameters than there are handles in `after:`, or with fewer.
private func wrongArity() {
    var graph = JobGraph("graph")
    let login = graph.input("login", Token(value: ""))
    let orders = graph.input("orders", [Order(id: 1)])

    // expect: the closure has a parameter without a handle in 'after:'
    graph.job("job") { token in RequestNode(Order.self).endpoint("/order").bearer(token.value) }
    // expect: the closure has parameters without a handle in 'after:'
    graph.job("job") { token, id in RequestNode(Order.self).endpoint("/order").bearer(token.value) }
    // expect: the closure has a parameter without a handle in 'after:'
    graph.request("request") { token in RequestNode(Order.self).endpoint("/order").bearer(token.value) }
    // expect: the closure has parameters without a handle in 'after:'
    graph.request("request") { token, id in RequestNode(Order.self).endpoint("/order").query("id", id.value) }
    // expect: the closure has a parameter without a handle in 'after:'
    graph.local("local") { orders in orders.count + 1 }
    // expect: the closure has parameters without a handle in 'after:'
    graph.local("local") { token, orders in token.value + orders.name }
    // expect: the closure has a parameter without a handle in 'after:'
    graph.forEach("loop", in: orders) { order, token in RequestNode(Order.self).endpoint("/order").bearer(token.value) }
    // expect: the closure has parameters without a handle in 'after:'
    graph.forEach("loop", in: orders) { order, token, user in RequestNode(Order.self).endpoint("/order") }
    // expect: the closure has a parameter without a handle in 'after:'
    graph.forEachOutcome("loop", in: orders) { order, token in RequestNode(Order.self).endpoint("/order/\(order.id)") }
    // expect: the closure has a parameter without a handle in 'after:'
    graph.forEachGraph("loop", in: orders) { graph, order, token in
        let price = graph.local("price") { 1 }
        return graph.local("total", after: price) { price in price + 1 }
    }
    // expect: the closure has a parameter without a handle in 'after:'
    graph.fallback("value", for: login) { error, other in Token(value: other.value) }
    // expect: the closure has a parameter without a handle in 'after:'
    graph.fallback("job", for: login) { error, other in RequestNode(Token.self).endpoint("/token") }
    // expect: the closure has a parameter without a handle in 'after:'
    graph.undo("undo", of: login) { token, orders in print(token, orders.count) }
    // expect: the closure has a parameter without a handle in 'after:'
    graph.undo("undo", of: login) { token, order in RequestNode(Void.self).endpoint("/order/\(order.id)") }
    // expect: the closure has a parameter without a handle in 'after:'
    graph.condition("condition") { orders in orders.isEmpty }
    // expect: the closure has a parameter without a handle in 'after:'
    graph.poll("poll", every: .exponential(from: .seconds(1), upTo: .seconds(9))) { order in
        RequestNode(Order.self).endpoint("/order/\(order.id)")
    } until: { _ in
        true
    }
    // expect: the closure has a parameter without a handle in 'after:'
    graph.subgraph("subgraph") { graph, token in graph.local("inner") { token.value } }

    // expect: expects 1 argument, but 2 were used
    graph.local("local", after: login) { token, order in token.value }
    // expect: expects 2 arguments, but 1 was used
    graph.local("local", after: login, orders) { token in token.value }
    // expect: expects 1 argument
    graph.request("request", after: login) { RequestNode(Order.self).endpoint("/order") }
}

/// The same lines with their handles.
private func rightArity() {
    var graph = JobGraph("graph")
    let login = graph.input("login", Token(value: ""))
    let orders = graph.input("orders", [Order(id: 1)])

    graph.job("job", after: login) { token in RequestNode(Order.self).endpoint("/order").bearer(token.value) }
    graph.request("request", after: login) { token in RequestNode(Order.self).endpoint("/order").bearer(token.value) }
    graph.local("local", after: login, orders) { token, orders in token.value + "\(orders.count)" }
    graph.forEach("loop", in: orders) { order in RequestNode(Order.self).endpoint("/order/\(order.id)") }
    graph.forEach("loop", in: orders, after: login) { order, token in
        RequestNode(Order.self).endpoint("/order/\(order.id)").bearer(token.value)
    }
    graph.forEachOutcome("loop", in: orders) { RequestNode(Order.self).endpoint("/order/\($0.id)") }
    graph.forEachGraph("loop", in: orders) { graph, order in graph.local("local") { order.id } }
    graph.fallback("value", for: login) { _ in Token(value: "") }
    graph.fallback("job", for: login) { error in RequestNode(Token.self).endpoint("/token") }
    graph.fallback("job", for: login, after: orders) { error, orders in Token(value: "\(orders.count)") }
    graph.undo("undo", of: login) { token in print(token) }
    graph.undo("undo", of: login) { token in RequestNode(Void.self).endpoint("/order").bearer(token.value) }
    graph.condition("condition", after: orders) { $0.isEmpty }
    graph.poll("poll", after: login, every: .exponential(from: .seconds(1), upTo: .seconds(9))) { token in
        RequestNode(Order.self).endpoint("/order").bearer(token.value)
    } until: { _ in
        true
    }
    graph.poll("poll", every: .exponential(from: .seconds(1), upTo: .seconds(9))) {
        RequestNode(Order.self).endpoint("/order")
    } until: { _ in
        true
    }
    graph.subgraph("subgraph", after: login) { graph, token in graph.local("inner") { token.value } }
}

/// Results that are read by the name of a node.
private func results(_ run: GraphRun) {
    // expect: read a result by the handle of its node
    _ = run["total"]
}
