// SPDX-License-Identifier: MIT

import JobGraphs
import TestSupport
import Testing

@testable import RestClient

/// Runs with a journal whose calls dummies responded to: what these invented never becomes part of a run for real.
@Suite(.timeLimit(.minutes(5)))
struct JournalOriginTests {
    private let host = JournalHost()

    private func graph(isMended: Bool) -> JobGraph { JournalHost.graph(isMended: isMended) }

    private static let invented = Dummy(.get, "/{name}").responds { .text("invented-" + ($0.parameters["name"] ?? "")) }

    @Test
    func `a scope's runs resume one another, and no others`() async throws {
        try await RestClientManager.withDummies(.strict, [Self.invented]) { _ in
            let first = try await host.process().run(graph(isMended: false), journal: "nightly")
            #expect(!first.isSuccess)
            // The program is begun again, with the same directory.
            let second = try await host.process().run(graph(isMended: true), journal: "nightly")
            #expect(second.isSuccess)
            #expect(second.report.nodes.filter { $0.status == .resumed }.count >= 2)
        }
        #expect(host.requests.count == 0)
        #expect(try await host.process().journals.list().isEmpty)

        let real = try await host.process().run(graph(isMended: true), journal: "nightly")

        #expect(real.isSuccess)
        #expect(host.names.count == 3)
    }

    @Test
    func `runs of the same name in two scopes at once do not see one another`() async throws {
        let manager = try host.process()
        let gate = Gate()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    try await manager.withDummies(.strict) {
                        manager.dummies.register(.get, "/{name}") { _ in
                            try await gate.wait()
                            return .text("scope")
                        }
                        return try await manager.run(graph(isMended: true), journal: "nightly").isSuccess
                    }
                }
            }
            try await gate.waitForWaiters(count: 4)
            gate.open()
            #expect(try await group.reduce(into: [Bool]()) { $0.append($1) } == [true, true])
        }
    }

    /// The ways in which dummies respond outside of scopes.
    @Test(arguments: ["manager", "options", "node", "shared"])
    func `a run without dummies does not resume one with them`(way: String) async throws {
        let manager = try host.process()
        manager.dummies.register(Self.invented)
        var graph = JobGraph("graph")
        if way == "manager" {
            manager.dummies.mode = .matched
        } else if way == "options" {
            manager.options = manager.options.dummies(.strict)
        }
        let isByNode = way == "node" || way == "shared"
        graph.local("first") { [manager] in
            let node = manager.request(String.self).endpoint("/first")
            return try await (isByNode ? node.dummies(.strict).sharingFlight() : node).send()
        }
        graph.local("last") { () throws -> Int in throw StepFailed() }
        _ = try await manager.run(graph, journal: "nightly")
        manager.dummies.mode = .off
        manager.options = manager.options.dummies(.off)

        let error = await #expect(throws: JobGraphError.self) {
            try await host.process().run(graph, journal: "nightly")
        }

        #expect(error?.code == .journalOfOtherOrigin)
        #expect(error?.message.contains("'nightly' has work of 'first' that was done with dummies") == true)
        #expect(error?.message.contains("journals.drop(\"nightly\")") == true)
        #expect(host.requests.count == 0)
    }

    @Test
    func `a run with dummies does not go on with one without, and both can be resumed`() async throws {
        let manager = try host.process()
        _ = try await manager.run(graph(isMended: false), journal: "nightly")
        manager.dummies.mode = .strict
        manager.dummies.register(Self.invented)
        let code = await JournalHost.code { _ = try await manager.run(graph(isMended: true), journal: "nightly") }
        #expect(code == .journalOfOtherOrigin)
        _ = try await manager.run(graph(isMended: false), journal: "rehearsal")
        #expect(try await manager.run(graph(isMended: true), journal: "rehearsal").isSuccess)
        manager.dummies.mode = .off

        #expect(try await manager.run(graph(isMended: true), journal: "nightly").isSuccess)

        #expect(host.names.count == 3)
    }

    @Test
    func `unsafe work that a dummy left without an outcome is no work of the server`() async throws {
        let manager = try host.process()
        manager.dummies.mode = .matched
        manager.dummies.register(Dummy(.post, "/{name}").responds(.connectionReset))
        var graph = JobGraph("graph")
        graph.request("charge") { JournalHost.node("charge", .post) }
        _ = try await manager.run(graph, journal: "nightly")
        #expect(try await manager.journals.unresolved(in: "nightly").count == 1)
        manager.dummies.mode = .off

        let code = await JournalHost.code { _ = try await manager.run(graph, journal: "nightly") }

        #expect(code == .journalOfOtherOrigin)
    }

    // MARK: - Work done once

    /// Sends a charge once, and then fails until it is mended.
    private struct Charge: Job {
        let manager: RestClientManager
        let isMended: Bool

        func run(in context: JobContext) async throws -> String {
            let receipt = try await context.once { _ in
                try await manager.request(String.self).endpoint("/charge").method(.post).send()
            }
            guard isMended else {
                throw StepFailed()
            }
            return receipt
        }
    }

    @Test
    func `what was done once keeps its origin, although no dummy responds in the run that uses it`() async throws {
        let manager = try host.process()
        manager.dummies.mode = .strict
        manager.dummies.register(Dummy(.post, "/{name}").times(1).responds(.text("invented")))
        func graph(isMended: Bool) -> (JobGraph, JobHandle<String>) {
            var graph = JobGraph("graph")
            let charge = graph.job("charge") { Charge(manager: manager, isMended: isMended) }
            return (graph, charge)
        }
        _ = try await manager.run(graph(isMended: false).0, journal: "nightly")
        let (mended, charge) = graph(isMended: true)
        #expect(try await manager.run(mended, journal: "nightly")[charge] == "invented")
        manager.dummies.mode = .off

        let code = await JournalHost.code { _ = try await manager.run(mended, journal: "nightly") }

        #expect(code == .journalOfOtherOrigin)
        #expect(host.requests.count == 0)
    }

    /// Sends a charge once.
    private struct Notice: Job {
        let manager: RestClientManager

        func run(in context: JobContext) async throws {
            _ = try await context.once { _ in
                try await manager.request(String.self).endpoint("/notice").method(.post).send()
            }
        }
    }

    @Test
    func `work that a dummy left without an outcome keeps its origin when it is treated as done`() async throws {
        let manager = try host.process()
        manager.dummies.mode = .strict
        manager.dummies.register(Dummy(.post, "/{name}").responds(.connectionReset))
        var notices = JobGraph("graph")
        notices.job("notice") { Notice(manager: manager) }
        let graph = notices
        _ = try await manager.run(graph, journal: "nightly")
        let journal = RunJournal("nightly", unknownOutcome: .treatAsDone)
        #expect(try await manager.run(graph, journal: journal).isSuccess)
        manager.dummies.mode = .off

        let code = await JournalHost.code { _ = try await manager.run(graph, journal: journal) }

        #expect(code == .journalOfOtherOrigin)
        #expect(host.requests.count == 0)
    }

    // MARK: - Starting over

    /// A run, and one that starts over with the same journal if that had succeeded.
    struct Restart: Sendable, CustomTestStringConvertible {
        /// The modes of the dummies in the first and in the second run.
        var modes: (DummyMode, DummyMode)
        /// True if the first run succeeds.
        var isFinished = true
        /// True if the outcome of a charge in it, which it ignores, is unknown.
        var isLost = false
        let isRefused: Bool

        var testDescription: String {
            "\(modes.0), \(modes.1)\(isFinished ? "" : ", not finished")\(isLost ? ", unknown outcome" : "")"
        }
    }

    private static let restarts = [
        Restart(modes: (.strict, .off), isRefused: false),
        Restart(modes: (.off, .strict), isRefused: false),
        Restart(modes: (.strict, .off), isFinished: false, isRefused: true),
        Restart(modes: (.off, .strict), isFinished: false, isRefused: true),
        // What a dummy left without an outcome is no business of a real run, but the other way round it is lost.
        Restart(modes: (.strict, .off), isLost: true, isRefused: false),
        Restart(modes: (.off, .strict), isLost: true, isRefused: true),
    ]

    @Test(arguments: restarts)
    func `only a run that has succeeded is started over with another origin, and no real work is forgotten`(
        restart: Restart
    ) async throws {
        func graph(isMended: Bool) -> JobGraph {
            var graph = JobGraph("graph")
            graph.request("first") { JournalHost.node("first") }
            graph.request("charge", options: [.onFailure(.ignore)]) { JournalHost.node("charge", .post) }
            graph.local("last") { () throws -> Int in
                guard isMended else {
                    throw StepFailed()
                }
                return 1
            }
            return graph
        }
        let manager = try host.process()
        host.answers { name in
            if restart.isLost, name == "charge" {
                throw RestClientError(.connectionClosed, "lost")
            }
            return .text(name)
        }
        manager.dummies.register(Self.invented)
        let response: DummyResponse = restart.isLost ? .connectionReset : .text("paid")
        manager.dummies.register(Dummy(.post, "/{name}").responds(response))
        let journal = RunJournal("nightly", afterSuccess: .restart)
        manager.dummies.mode = restart.modes.0
        let first = try await manager.run(graph(isMended: restart.isFinished), journal: journal)
        #expect(first.isSuccess == restart.isFinished)
        let unresolved = try await manager.journals.unresolved(in: "nightly")
        #expect(unresolved.count == (restart.isLost ? 1 : 0))
        manager.dummies.mode = restart.modes.1

        let code = await JournalHost.code { _ = try await manager.run(graph(isMended: true), journal: journal) }

        #expect(code == (restart.isRefused ? .journalOfOtherOrigin : nil))
        #expect(host.names.count { $0 == "charge" } == (restart.modes.0 == .off || !restart.isRefused ? 1 : 0))
        if restart.isRefused {
            #expect(try await manager.journals.unresolved(in: "nightly") == unresolved)
        }
    }
}
