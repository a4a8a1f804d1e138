// SPDX-License-Identifier: MIT

import JobGraphs
import RestClient
import RestEssentials

extension SimulatedProcess {
    /// A graph with a loop, safe requests and two orders, one after the other.
    private struct Plan {
        let graph: JobGraph
        let details: JobHandle<[Item]>
        let last: JobHandle<Int>
        let orders: [String]
    }

    private static func plan(_ count: Int, _ operation: Int, retry: RetryPolicy) -> Plan {
        let orders = ["order-\(operation)-first", "order-\(operation)-second"]
        var graph = JobGraph("graph-\(operation)")
        let names = graph.local("names") { (0..<count).map { "detail\($0)" } }
        let details = graph.forEach("detail", in: names, limit: 2, options: [.retry(retry)]) { name in
            RequestNode(Item.self).endpoint("/items/{name}").parameter("name", name)
        }
        let first = graph.request("first", after: names) { _ in Self.order(orders[0]) }
        let sum = graph.local("sum", after: details, first) { details, _ in details.count }
        let second = graph.request("second", after: sum, options: [.retry(retry)]) { _ in Self.order(orders[1]) }
        let last = graph.local("last", after: sum, second) { sum, _ in sum }
        return Plan(graph: graph, details: details, last: last, orders: orders)
    }

    private static func order(_ name: String) -> RequestNode<Item> {
        RequestNode(Item.self).post().endpoint("/orders/{name}").parameter("name", name)
    }

    func graph(_ count: Int, _ operation: Operation) async throws {
        let plan = Self.plan(count, operation.number, retry: settings.retry)
        let run = try await manager.run(plan.graph, options: operation.timeout.map { [.timeout($0)] } ?? [])
        try check(run, plan, operation)
    }

    func durable(_ count: Int, _ policy: UnknownOutcome, _ operation: Operation) async throws {
        let plan = Self.plan(count, operation.graphNumber, retry: settings.retry)
        let journal = RunJournal("run-\(operation.graphNumber)", unknownOutcome: policy)
        // A run that succeeded would be returned.
        let known = try await manager.journals.list().first { $0.name == journal.name }
        if known?.status == .succeeded {
            return
        }
        guard operation.mustFinish else {
            // What the disk refuses ends the run, and a later process resumes it.
            let run = try? await manager.run(plan.graph, journal: journal)
            if let run {
                try check(run, plan, operation)
            }
            return
        }
        for _ in 0..<8 {
            // The requests of earlier processes and runs have arrived by then, and the breaker lets calls pass.
            try await VirtualClock().sleep(for: .seconds(3_600))
            let run = try await manager.run(plan.graph, journal: journal)
            try check(run, plan, operation)
            if run.isSuccess {
                return
            }
            try await VirtualClock().sleep(for: .seconds(3_600))
            if policy == .fail {
                try await resolve(journal)
            }
        }
        ledger.defect("\(operation) does not come to an end although nothing fails any more")
    }

    /// Enqueues a run, and lets a worker of this process work it for a while; the next process goes on with it.
    func queued(_ count: Int, _ policy: UnknownOutcome, _ operation: Operation) async throws {
        let (number, retry) = (operation.graphNumber, settings.retry)
        let run = "queued-\(number)"
        let graph = DurableGraph<Int>(run, unknownOutcome: policy) { count in
            Self.plan(count, number, retry: retry).graph
        }
        guard operation.mustFinish else {
            // What the disk refuses is left to a later process.
            _ = try? await manager.enqueue(graph, count, as: run)
            try? await working(graph) { try await VirtualClock().sleep(for: .seconds(60)) }
            return
        }
        for _ in 0..<8 {
            // The requests of earlier processes and runs have arrived by then, and the breaker lets calls pass.
            try await VirtualClock().sleep(for: .seconds(3_600))
            try await manager.enqueue(graph, count, as: run)
            try await working(graph) { _ = try await self.manager.journals.ended(run) }
            if try await manager.journals.ended(run).status == .succeeded {
                for order in Self.plan(count, number, retry: retry).orders where server.acts(on: order) != 1 {
                    ledger.defect("\(operation) succeeded, and \(order) was done \(server.acts(on: order)) times")
                }
                return
            }
            try await VirtualClock().sleep(for: .seconds(3_600))
            if policy == .fail {
                try await resolve(RunJournal(run))
            }
            try await manager.journals.retry(run)
        }
        ledger.defect("\(operation) does not come to an end although nothing fails any more")
    }

    /// Does something while a worker works the runs of a graph.
    private func working(_ graph: DurableGraph<Int>, _ body: () async throws -> Void) async throws {
        let worker = Task { [manager] in try await manager.worker(limit: 1).offering(graph).run() }
        let result: Result<Void, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        worker.cancel()
        // A worker that the disk does not let begin has nothing to end.
        _ = await worker.result
        try result.get()
    }

    /// Decides as a person would: by asking the server.
    private func resolve(_ journal: RunJournal) async throws {
        for work in try await manager.journals.unresolved(in: journal.name) {
            guard let key = work.idempotencyKey, server.hasActed(onKey: key) else {
                try await manager.journals.markNotDone(work)
                continue
            }
            try await manager.journals.markDone(work, with: Item(name: "resolved", version: 1, serial: 0), in: journal)
        }
    }

    private func check(_ run: GraphRun, _ plan: Plan, _ operation: Operation) throws {
        Scheduler.shared.note("\(operation): \(run.status), \(run.nodes.map { "\($0.name) \($0.status)" })")
        guard run.isSuccess else {
            return
        }
        let details = try run[plan.details]
        if try run[plan.last] != details.count {
            ledger.defect("\(operation) succeeded with the wrong result")
        }
        for (index, item) in details.enumerated() where item.name != "detail\(index)" {
            ledger.defect("\(operation) has \(item) at \(index)")
        }
        for order in plan.orders where server.acts(on: order) != 1 {
            ledger.defect("\(operation) succeeded, and \(order) was done \(server.acts(on: order)) times")
        }
    }
}
