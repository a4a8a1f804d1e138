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
}
