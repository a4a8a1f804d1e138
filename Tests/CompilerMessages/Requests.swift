// SPDX-License-Identifier: MIT

import RestClient

private struct Order: Codable, Sendable {
    var id: Int
}

/// Values of types that are neither parameters nor models.
private func values(_ manager: RestClientManager, _ order: Order, _ value: Any, _ texts: [String: Any], id: Int) {
    let node = manager.request(Order.self).endpoint("/orders")

    // expected-error@+1 {{conform the type of each value to JSONValueConvertible}}
    _ = node.query(["page": 1, "value": value])
    // expected-error@+1 {{conform the type of each value to JSONValueConvertible}}
    _ = node.query(texts)
    // expected-error@+1 {{JSONValueConvertible}}
    _ = node.query("order", order)
    // expected-error@+1 {{conform the type of each value to JSONValueConvertible}}
    _ = node.parameters(["value": value])
    // expected-error@+1 {{JSONValueConvertible}}
    _ = node.parameter("order", order)
    // expected-error@+1 {{or use an Encodable model}}
    _ = node.requestModel(["id": 1, "order": order])
    // expected-error@+1 {{or use an Encodable model}}
    _ = node.requestModel(texts)
    // expected-error@+1 {{or use an Encodable model}}
    _ = node.body(texts)
    // expected-error@+1 {{Encodable}}
    _ = node.requestModel(value)

    _ = node.query(["page": 1, "id": id]).query("ids", [id]).query(["name": "kim", "none": nil])
    _ = node.parameters(["id": id, "name": "kim"]).parameter("id", id)
    _ = node.requestModel(["id": id, "name": "kim"]).requestModel(order).body(["id": id])
}

/// Paths that are texts.
private func paths(_ manager: RestClientManager, _ order: Order, id: Int) {
    let path = "/orders/\(id)"

    // expected-error@+1 {{or PathTemplate(path) for a text}}
    _ = manager.request(Order.self).endpoint(path)
    // expected-error@+1 {{or PathTemplate(path) for a text}}
    _ = manager.request(Order.self).endpoint("/orders/" + "\(id)")
    // expected-error@+1 {{write the path here}}
    _ = manager.request(Order.self).endpoint("/orders/\(order)")

    _ = manager.request(Order.self).endpoint("/orders/\(id)")
    _ = manager.request(Order.self).endpoint(id == 1 ? "/first" : "/orders/\(id)")
    _ = manager.request(Order.self).endpoint(PathTemplate(path))
}

/// Aliases without a type, and pages without items.
private func aliases(_ manager: RestClientManager) {
    // expected-error@+1 {{an alias has the type of its response, as in "orders" as APIAlias<[Order]>}}
    manager.apis["orders"] = API(.get, "/orders")
    // expected-error@+1 {{say where the items of a page are}}
    _ = manager.request(Order.self).endpoint("/orders").pages(.offset())
}
