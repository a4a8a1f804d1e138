// SPDX-License-Identifier: MIT

// snippet.hide
import RestClient

struct Order: Decodable, Sendable { let id: Int }
extension APIAlias where Model == OrderPage { static var orders: Self { "orders" } }

let manager = RestClientManager()
manager.servers["store"] = "https://api.example.com/v1"
manager.defaultServer = "store"
manager.apis[.orders] = API(.get, "/orders")
manager.dummies.mode = .strict
manager.dummies.register(.get, "/orders") { request in
    request.query.contains { $0.name == "after" }
        ? .text(#"{"orders":[{"id":3}],"meta":{}}"#)
        : .text(#"{"orders":[{"id":1},{"id":2}],"meta":{"cursor":"c2"}}"#)
}

// snippet.show
struct OrderPage: Decodable, Sendable {
    struct Meta: Decodable, Sendable { let cursor: String? }
    let orders: [Order]
    let meta: Meta
}

let pages = manager.request(.orders)
    .pages(.cursor("after", next: \.meta.cursor).size(100, as: "limit"), items: \.orders)

for try await order in pages.items {
    print(order.id)
}
// snippet.hide

// snippet.show
// The next page is loaded while the items of this one are used.
let ahead = manager.request(.orders)
    .pages(.cursor("after", next: \.meta.cursor).size(100, as: "limit").prefetching(), items: \.orders)
// snippet.hide
for try await order in ahead.items {
    print(order.id)
}

func export(_ orders: [Order]) {}
func kept() -> PagingState? { nil }
func keep(_ state: PagingState) {}

func resume() async throws {
    // snippet.show
    // Page by page; the state is Codable, and another process may continue with it.
    for try await page in try kept().map(pages.starting(from:)) ?? pages {
        export(page.items)
        keep(page.next)
    }
    // snippet.hide
}

try await resume()

@MainActor
final class OrderList {
    var rows: [Order] = []
    // snippet.show
    // A list on screen.
    let pager = pages.pager()

    func lastRowIsVisible() async throws {
        if let page = try await pager.moveNext() {
            rows += page.items
        }
    }

    func pullToRefresh() async throws {
        pager.reset()
        rows = try await pager.moveNext()?.items ?? []
    }
    // snippet.hide
}

let list = OrderList()
try await list.lastRowIsVisible()
try await list.lastRowIsVisible()
print(list.rows.count)

func graph() async throws {
    // snippet.show
    // A node of a graph whose result is the list of all items.
    var graph = JobGraph("export")
    let orders = graph.job("orders") { pages }
    let names = graph.forEach("name", in: orders, limit: 8) { order in LocalJob("name") { "order \(order.id)" } }
    // A loop whose jobs begin as soon as the page of their item is there.
    graph.forEach("note", inPagesOf: pages, limit: 8) { order in LocalJob("note") { print(order.id) } }
    let run = try await manager.run(graph)
    // snippet.hide
    print(try run[names])
}

try await graph()
// snippet.show
