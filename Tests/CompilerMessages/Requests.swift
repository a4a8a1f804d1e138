// SPDX-License-Identifier: MIT

import RestClient

private struct Order: Codable, Sendable {
    var id: Int
}

/// Values of types that are neither parameters nor models.
private func values(_ manager: RestClientManager, _ order: Order, _ value: Any, _ texts: [String: Any], id: Int) {
    let node = manager.request(Order.self).endpoint("/orders")

    // expect: conform the type of each value to JSONValueConvertible
    _ = node.query(["page": 1, "value": value])
    // expect: conform the type of each value to JSONValueConvertible
    _ = node.query(texts)
    // expect: JSONValueConvertible
    _ = node.query("order", order)
    // expect: JSONValueConvertible
    _ = node.parameter("order", order)
    // expect: or use an Encodable model
    _ = node.values(["id": 1, "order": order])
    // expect: or use an Encodable model
    _ = node.values(texts)
    // expect: or use an Encodable model
    _ = node.body(texts)
    // expect: Encodable
    _ = node.body(value)

    _ = node.query(["page": 1, "id": id]).query("ids", [id]).query(["name": "kim", "none": nil as Int?])
    _ = node.parameter("id", id).parameter("name", "kim")
    _ = node.values(["id": id, "name": "kim"]).body(order).body(["id": id])
}

/// Paths that are texts.
private func paths(_ manager: RestClientManager, _ order: Order, id: Int) {
    let path = "/orders/\(id)"

    // expect: write the path here, as in endpoint("/orders/\(id)"), or PathTemplate(path) for a text
    _ = manager.request(Order.self).endpoint(path)
    // expect: write the path here, as in endpoint("/orders/\(id)"), or PathTemplate(path) for a text
    _ = manager.request(Order.self).endpoint("/orders/" + "\(id)")
    // expect: PathTemplate
    _ = manager.request(Order.self).post(path)
    // expect: write the path here
    _ = manager.request(Order.self).endpoint("/orders/\(order)")

    _ = manager.request(Order.self).endpoint("/orders/\(id)")
    _ = manager.request(Order.self).endpoint(id == 1 ? "/first" : "/orders/\(id)")
    _ = manager.request(Order.self).endpoint(PathTemplate(path))
}

/// Aliases without a type, and pages without items.
private func aliases(_ manager: RestClientManager) {
    // expect: declare it: extension APIAlias where Model == [Order] { static var orders: Self { "orders" } }
    manager.apis["orders"] = API(.get, "/orders")
    // expect: type 'APIAlias<Any>' has no member 'orders'
    manager.apis[.orders] = API(.get, "/orders")
    // expect: say where the items of a page are
    _ = manager.request(Order.self).endpoint("/orders").pages(.offset())
}
