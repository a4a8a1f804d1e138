// SPDX-License-Identifier: MIT

// snippet.hide
import Foundation
import RestClient

struct Order: Codable { let id: Int }
struct Invoice: Codable { let id: Int }
struct Report: Codable { let id: Int }
enum Shop {
    static func orders(of day: String) -> RequestNode<[Order]> {
        RequestNode([Order].self).endpoint("/orders").query(["day": day])
    }

    static func invoice(_ order: Order) -> RequestNode<Invoice> {
        RequestNode(Invoice.self).endpoint("/orders/{id}/invoice").parameter("id", order.id).method(.post)
    }

    static func report(_ invoices: [Invoice]) -> RequestNode<Report> {
        RequestNode(Report.self).endpoint("/reports").query(["invoices": "\(invoices.count)"]).method(.post)
    }
}

// snippet.show
extension DurableGraph where Input == String {
    static var nightly: Self {
        .init("nightly", unknownOutcome: .repeatWithSameKey) { day in
            var graph = JobGraph("nightly")
            let date = graph.input("day", day)
            let orders = graph.request("orders", after: date) { day in Shop.orders(of: day) }
            let invoices = graph.forEach("invoice", in: orders, limit: 8) { order in Shop.invoice(order) }
            graph.request("report", after: invoices) { invoices in Shop.report(invoices) }
            return graph
        }
    }
}
// snippet.hide

let folder = FileManager.default.temporaryDirectory.appending(path: "NightlyRuns-\(UUID().uuidString)")
defer { try? FileManager.default.removeItem(at: folder) }
let today = "2026-11-28"
let manager = RestClientManager()
manager.servers["shop"] = "https://api.example.com"
manager.defaultServer = "shop"
manager.dummies.mode = .strict
manager.dummies.register(.get, "/orders") { _ in .text(#"[{"id":1},{"id":2}]"#) }
manager.dummies.register(.post, "/orders/{id}/invoice") { request in
    .text("{\"id\":\(request.parameters["id"] ?? "0")}")
}
manager.dummies.register(.post, "/reports") { _ in .text(#"{"id":1}"#) }

func work() async throws {
    // snippet.show

    // The same program in each process, on one folder; it works until it is cancelled.
    try manager.persist(in: folder)
    let worker = Task { try await manager.worker(limit: 4).offering(.nightly).run() }

    // A timer in each process, a web handler, a shell: the name makes it one run.
    try await manager.enqueue(.nightly, today, as: "nightly \(today)")
    let run = try await manager.journals.ended("nightly \(today)")
    for work in try await manager.journals.unresolved(in: run.name) { print(work) }
    // snippet.hide
    print(run.status)
    worker.cancel()
    try await worker.value
}

try await work()
