// SPDX-License-Identifier: MIT

// snippet.hide
import Foundation
import JobGraphs

struct Order: Codable { let id: Int }
struct Invoice: Codable { let id: Int }
enum Shop {
    static func orders(of day: String) async throws -> [Order] { [Order(id: 1), Order(id: 2)] }
    static func invoice(_ order: Order) async throws -> Invoice { Invoice(id: order.id) }
    static func report(_ invoices: [Invoice]) async throws { print("\(invoices.count) invoices") }
}

// snippet.show
extension DurableGraph where Input == String {
    static var nightly: Self {
        .init("nightly", unknownOutcome: .repeatWithSameKey) { day in
            var graph = JobGraph("nightly")
            let date = graph.input("day", day)
            let orders = graph.local("orders", after: date) { day in try await Shop.orders(of: day) }
            let invoices = graph.forEach("invoice", in: orders, limit: 8) { order in try await Shop.invoice(order) }
            graph.local("report", after: invoices) { invoices in try await Shop.report(invoices) }
            return graph
        }
    }
}
// snippet.hide

let folder = FileManager.default.temporaryDirectory.appending(path: "SharedRuns-\(UUID().uuidString)")
defer { try? FileManager.default.removeItem(at: folder) }
let runtime = JobRuntime(directory: folder)
let today = "2026-11-28"

func work() async throws {
    // snippet.show

    // The same program in each terminal; it works until it is cancelled.
    let worker = Task { try await runtime.worker(limit: 4).offering(.nightly).run() }

    // A timer in each process, a web handler, a shell: the name makes it one run.
    try await runtime.enqueue(.nightly, today, as: "nightly \(today)")
    let run = try await runtime.journals.ended("nightly \(today)")
    // snippet.hide
    print(run.status)
    worker.cancel()
    try await worker.value
}

try await work()
