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

/// Values in place of closures, and closures without parameters: with parameter packs alone, the compiler would crash.
private func values() {
    var graph = JobGraph("graph")
    let login = graph.input("login", Token(value: ""))
    let orders = graph.input("orders", [Order(id: 1)])

    // expect: write the work as a closure, as in graph.local("name") { work() }
    graph.local("local", 1)
    // expect: write a closure with a Bool, as in graph.condition("name") { isDue }
    graph.condition("condition", true)
    // expect: cannot convert value of type 'Token'
    graph.fallback("value", for: login, Token(value: ""))
    // expect: expects 1 argument, which cannot be implicitly ignored
    graph.undo("undo", of: login) { print("undo") }
    // expect: expects 1 argument, which cannot be implicitly ignored
    graph.forEach("loop", in: orders) { 1 }
    // expect: make a job for the element in a closure, as in { element in job }
    graph.forEachOutcome("loop", in: orders) { RequestNode(Order.self).endpoint("/order") }
    // expect: name an 'output:'
    graph.subgraph("subgraph", JobGraph("inner"))
}

/// Closures with more parameters than there are handles in `after:`, or with fewer.
private func wrongArity() {
    var graph = JobGraph("graph")
    let login = graph.input("login", Token(value: ""))
    let orders = graph.input("orders", [Order(id: 1)])

    // expect: cannot infer type of closure parameter 'token'
    graph.job("job") { token in RequestNode(Order.self).endpoint("/order").bearer(token.value) }
    // expect: cannot infer type of closure parameter 'token'
    graph.request("request") { token in RequestNode(Order.self).endpoint("/order").bearer(token.value) }
    // expect: cannot infer type of closure parameter 'orders'
    graph.local("local") { orders in orders.count + 1 }
    // expect: cannot infer type of closure parameter 'token'
    graph.forEach("loop", in: orders) { order, token in RequestNode(Order.self).endpoint("/order").bearer(token.value) }
    // expect: cannot infer type of closure parameter 'orders'
    graph.condition("condition") { orders in orders.isEmpty }
    // expect: expects 2 arguments, but 3 were used
    graph.forEachGraph("loop", in: orders) { graph, order, token in
        let price = graph.local("price") { 1 }
        return graph.local("total", after: price) { price in price + 1 }
    }
    // expect: expects 1 argument, but 2 were used
    graph.undo("undo", of: login) { token, orders in print(token, orders.count) }

    // The article on graphs says what it means that two packs differ in shape.
    // expect: pack expansion requires that '' and '_' have the same shape
    graph.forEachOutcome("loop", in: orders) { order, token in RequestNode(Order.self).endpoint("/order/\(order.id)") }
    // expect: pack expansion requires that '' and '_' have the same shape
    graph.fallback("value", for: login) { error, other in Token(value: other.value) }
    // expect: pack expansion requires that '' and '_' have the same shape
    graph.fallback("job", for: login) { error, other in RequestNode(Token.self).endpoint("/token") }
    // expect: pack expansion requires that '' and '_' have the same shape
    graph.undo("undo", of: login) { token, order in RequestNode(Void.self).endpoint("/order/\(order.id)") }
    // expect: pack expansion requires that '' and '_' have the same shape
    graph.poll("poll", every: .exponential(from: .seconds(1), upTo: .seconds(9))) { order in
        RequestNode(Order.self).endpoint("/order/\(order.id)")
    } until: { _ in
        true
    }
    // expect: pack expansion requires that '' and '_' have the same shape
    graph.subgraph("subgraph") { graph, token in graph.local("inner") { token.value } }
    // expect: pack expansion requires that 'Token' and '_, _' have the same shape
    graph.local("local", after: login) { token, order in token.value }
    // expect: pack expansion requires that 'Token, [Order]' and '_' have the same shape
    graph.local("local", after: login, orders) { token in token.value }
    // expect: pack expansion requires that 'Token' and '' have the same shape
    graph.request("request", after: login) { RequestNode(Order.self).endpoint("/order") }
}

/// Mistakes inside a closure that has the right parameters.
private func mistakesInside() {
    var graph = JobGraph("graph")
    let login = graph.input("login", Token(value: ""))
    let orders = graph.input("orders", [Order(id: 1)])

    // expect: value of type 'Token' has no member 'valu'
    graph.local("local", after: login) { token in token.valu }
    // expect: value of type 'Order' has no member 'name'
    graph.forEach("loop", in: orders) { order in order.name }
    // expect: cannot convert value of type 'Int' to closure result type 'Token'
    graph.fallback("value", for: login) { _ in 1 }
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
    graph.undo("undo", of: login, after: orders, login) { token, orders, _ in print(token, orders) }
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
