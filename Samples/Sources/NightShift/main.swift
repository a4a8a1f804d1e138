// SPDX-License-Identifier: MIT

// Runs that two terminals work together, and that survive when one of them is killed:
//
//     NightShift work <folder>                  works runs until Ctrl-C; start it in two terminals
//     NightShift order <folder> <name> [<n>]    enqueues a run with n invoices (12), and waits for its end
//     NightShift list <folder>                  says who works which run, and what waits
//     NightShift cancel <folder> <name>         cancels a run
//     NightShift retry <folder> <name>          lets a failed run go on
//
// Order a run in a third terminal, and see which of the two works it. Kill that one (kill -9 with the number that it
// prints): the other one goes on with the results that are stored, and charges nothing twice. Ctrl-C instead lets what
// runs end, and gives the rest back.

import Dispatch
import Foundation
import JobGraphs

/// A bank that writes its charges down, each once for its key.
struct Bank: Sendable {
    let folder: URL

    func charge(_ invoice: Int, key: String) throws -> String {
        let charges = folder.appending(path: "charges")
        try FileManager.default.createDirectory(at: charges, withIntermediateDirectories: true)
        try Data("invoice \(invoice)\n".utf8).write(to: charges.appending(path: key))
        return key
    }
}

struct Charge: Job {
    let invoice: Int
    let bank: Bank

    func run(in context: JobContext) async throws -> String {
        try await Task.sleep(for: .seconds(1))
        let receipt = try await context.once { key in try bank.charge(invoice, key: key) }
        print("  invoice \(invoice) is charged")
        return receipt
    }
}

extension DurableGraph where Input == Int {
    /// Lists so many invoices, charges them one after the other, and reports.
    static func nightly(_ bank: Bank) -> Self {
        // The bank recognizes a charge by its key, so one whose process died is made again.
        .init("nightly", unknownOutcome: .repeatWithSameKey) { count in
            var graph = JobGraph("nightly")
            let number = graph.input("number", count)
            let invoices = graph.local("invoices", after: number) { number in
                print("  lists \(number) invoices")
                return Array(0..<max(0, number))
            }
            let receipts = graph.forEach("charge", in: invoices, limit: 1) { invoice in
                Charge(invoice: invoice, bank: bank)
            }
            graph.local("report", after: receipts) { receipts in print("  \(receipts.count) receipts") }
            return graph
        }
    }
}

func use() -> Never {
    print("usage: NightShift work|order|list|cancel|retry <folder> [<name> [<invoices>]]")
    exit(2)
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 2 else {
    use()
}
let folder = URL(filePath: arguments[1], directoryHint: .isDirectory)
let name = arguments.count > 2 ? arguments[2] : ""
let runtime = JobRuntime(directory: folder.appending(path: "journal"))
let nightly = DurableGraph.nightly(Bank(folder: folder))

switch arguments[0] {
case "work":
    print("process \(ProcessInfo.processInfo.processIdentifier) works; Ctrl-C ends it")
    let worker = Task { try await runtime.worker(limit: 2).offering(nightly).run() }
    signal(SIGINT, SIG_IGN)
    let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .main)
    interrupt.setEventHandler { worker.cancel() }
    interrupt.resume()
    try await worker.value
case "order" where !name.isEmpty:
    let count = arguments.count > 3 ? Int(arguments[3]) ?? 12 : 12
    let isNew = try await runtime.enqueue(nightly, count, as: name)
    print(isNew ? "'\(name)' is in the queue" : "there is a run '\(name)' already")
    let run = try await runtime.journals.ended(name)
    print("'\(name)' has ended: \(run.status)\(run.reason.map { ", \($0)" } ?? "")")
case "list":
    for run in try await runtime.journals.list() {
        let worker = run.worker.map { ", worked by \($0)" } ?? ""
        print("\(run.name): \(run.status)\(worker)\(run.reason.map { ", \($0)" } ?? "")")
    }
case "cancel" where !name.isEmpty:
    print(try await runtime.journals.cancel(name) ? "it is being cancelled" : "it has ended")
case "retry" where !name.isEmpty:
    print(try await runtime.journals.retry(name) ? "it is in the queue again" : "it has not failed")
default:
    use()
}
