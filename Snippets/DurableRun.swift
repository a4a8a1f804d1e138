// SPDX-License-Identifier: MIT

// snippet.hide
import Foundation
import RestClient

struct Order: Codable { let id: Int }
struct Receipt: Codable { let id: Int }
struct Bank { func charge(_ card: String, key: String) async throws -> Receipt { Receipt(id: 1) } }

// snippet.show
/// Charges a card once, also if the process dies meanwhile.
struct Charge: Job {
    let card: String
    let bank: Bank

    func run(in context: JobContext) async throws -> Receipt {
        // The bank recognizes a repeated charge by its key.
        try await context.once { key in try await bank.charge(card, key: key) }
    }
}
// snippet.hide

let folder = FileManager.default.temporaryDirectory.appending(path: "DurableRun-\(UUID().uuidString)")
defer { try? FileManager.default.removeItem(at: folder) }
let key = SealingKey.generate()
let day = "2026-01-31"

let manager = RestClientManager()
manager.servers["shop"] = "https://api.example.com"
manager.defaultServer = "shop"
manager.dummies.mode = .strict
manager.dummies.register(.get, "/orders") { _ in .text(#"[{"id":1},{"id":2}]"#) }
manager.dummies.register(.post, "/orders/{id}/charge") { request in
    .text("{\"id\":\(request.parameters["id"] ?? "0")}")
}
manager.dummies.register(.post, "/mails") { _ in .status(.accepted) }

func bill() async throws {
    // snippet.show
    // Nodes that depend on an input run again when the input changes.
    var graph = JobGraph("billing")
    let today = graph.input("day", day)
    let orders = graph.request("orders", after: today) { day in
        RequestNode([Order].self).endpoint("/orders").query(["day": day])
    }
    let charges = graph.forEach("charge", in: orders, limit: 4) { order in
        RequestNode(Receipt.self).endpoint("/orders/{id}/charge").parameter("id", order.id).method(.post)
    }
    graph.request("mail", after: charges, options: [.unknownOutcome(.treatAsDone)]) { receipts in
        RequestNode(Void.self).endpoint("/mails").method(.post).body(receipts)
    }

    // Results are stored on disk, sealed; a POST whose response was lost is sent again with the same Idempotency-Key.
    try manager.persist(in: folder)
    let journal = RunJournal("billing-\(day)", codec: .gzipSealed(key), unknownOutcome: .repeatWithSameKey)
    let execution = try await manager.start(graph, journal: journal)
    let line = ProgressLine("billing")
    for await progress in execution.progress {
        line.show(progress)
    }
    line.finish()
    let run = await execution.finished()
    try run.check()

    // Earlier runs that did not succeed.
    for left in try await manager.journals.list() where left.status != .succeeded {
        print(left.name, left.status, left.finishedNodes, left.unknownNodes)
    }
    // Repeats everything from the charges on, as a separate run.
    try await manager.journals.fork(journal, as: RunJournal("again", codec: journal.codec), of: graph, from: charges)
    try await manager.journals.drop("again")
    // snippet.hide
}

/// Asks the server for the receipt of a charge, by the key with which the charge was sent.
func receipt(for key: String?) async throws -> Receipt? {
    let receipts = try await manager.request([Receipt].self).endpoint("/receipts").query("key", key).send()
    return receipts.first
}

func decide() async throws {
    let journal = RunJournal("billing-\(day)", codec: .gzipSealed(key))
    // snippet.show
    // Nodes and elements whose request was sent, and whose response was lost.
    for charge in try await manager.journals.unresolved(in: journal.name) {
        print(charge)  // 'charge[1]' of the run 'billing-2026-01-31', key 6F9A…
        if let receipt = try await receipt(for: charge.idempotencyKey) {
            // It was done: the next run has this result.
            try await manager.journals.markDone(charge, with: receipt, in: journal)
        } else {
            // It was not done: the next run sends it, with a new key.
            try await manager.journals.markNotDone(charge)
        }
    }
    // A person looks again before the next run, perhaps in another process.
    for charge in try await manager.journals.decided(in: journal.name) where charge.isMarkedDone == false {
        if let receipt = try await receipt(for: charge.idempotencyKey) {
            try await manager.journals.markDone(charge, with: receipt, in: journal)
        }
    }
    // snippet.hide
}

try await bill()
try await decide()
