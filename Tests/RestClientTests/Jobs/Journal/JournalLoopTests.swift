// SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import Testing

@testable import JobGraphs
@testable import RestClient

/// Loops in resumed runs: each element has a record of its own.
@Suite(.timeLimit(.minutes(5)))
struct JournalLoopTests {
    private let host = JournalHost()

    /// Charges each of these, one after the other.
    private static func graph(_ items: [String], _ options: JobOptions? = nil) -> (JobGraph, JobHandle<[String]>) {
        var graph = JobGraph("charges")
        let items = graph.input("items", items)
        let charges = graph.forEach("charge", in: items, limit: 1, options: options) { JournalHost.node($0, .post) }
        return (graph, charges)
    }

    private func refuse(_ refused: String) {
        host.answers { $0 == refused ? .status(.conflict) : .text($0) }
    }

    @Test
    func `elements that had ended are not done again`() async throws {
        refuse("c")
        let first = try await host.process().run(Self.graph(["a", "b", "c"]).0, journal: "charges")
        #expect(first.statuses == [.success, .failure])
        host.answers { .text($0) }
        let (graph, charges) = Self.graph(["a", "b", "c"])
        let second = try await host.process().run(graph, journal: "charges")
        #expect(try second[charges] == ["a", "b", "c"])
        #expect(host.names == ["a", "b", "c", "c"])
        let children = try #require(second.report.nodes.last?.children)
        #expect(children.map(\.status) == [.resumed, .resumed, .success])
        #expect(children.map(\.attempts) == [0, 0, 1])
    }

    @Test
    func `the graphs of elements resume where they stopped`() async throws {
        func graph() -> (JobGraph, JobHandle<[String]>) {
            var graph = JobGraph("orders")
            let items = graph.input("items", ["a", "b"])
            let loop = graph.forEachGraph("order", in: items, limit: 1) { inner, item in
                let cart = inner.request("cart") { JournalHost.node("cart-\(item)", .post) }
                return inner.request("order", after: cart) { cart in JournalHost.node("\(cart)-order", .post) }
            }
            return (graph, loop)
        }
        refuse("cart-b-order")
        let first = try await host.process().run(graph().0, journal: "orders")
        #expect(first.statuses == [.success, .failure])
        host.answers { .text($0) }
        let (again, loop) = graph()
        #expect(try await host.process().run(again, journal: "orders")[loop] == ["cart-a-order", "cart-b-order"])
        #expect(host.names == ["cart-a", "cart-a-order", "cart-b", "cart-b-order", "cart-b-order"])
    }

    @Test
    func `a changed collection repeats only new elements, regardless of their position`() async throws {
        refuse("c")
        _ = try await host.process().run(Self.graph(["a", "b", "c"]).0, journal: "charges")
        host.answers { .text($0) }
        let (graph, charges) = Self.graph(["d", "b", "a"])
        let run = try await host.process().run(graph, journal: "charges")
        #expect(try run[charges] == ["d", "b", "a"])
        #expect(host.names == ["a", "b", "c", "d"])
    }

    @Test
    func `elements are repeated when another of their inputs differs`() async throws {
        func graph(_ day: Int) -> (JobGraph, JobHandle<[String]>) {
            var graph = JobGraph("days")
            let (day, items) = (graph.input("day", day), graph.input("items", ["a", "c"]))
            let loop = graph.forEach("charge", in: items, after: day, limit: 1) { item, day in
                JournalHost.node("\(item)\(day)", .post)
            }
            return (graph, loop)
        }
        refuse("c1")
        _ = try await host.process().run(graph(1).0, journal: "days")
        host.answers { .text($0) }
        let (again, loop) = graph(2)
        #expect(try await host.process().run(again, journal: "days")[loop] == ["a2", "c2"])
        #expect(host.names == ["a1", "c1", "a2", "c2"])
    }

    @Test
    func `a loop that had ended keeps its elements for a longer collection`() async throws {
        func graph(_ items: [String], fails: Bool) -> JobGraph {
            var (graph, charges) = Self.graph(items)
            graph.local("last", after: charges) { _ in
                if fails {
                    throw StepFailed()
                }
            }
            return graph
        }
        _ = try await host.process().run(graph(["a", "b"], fails: true), journal: "charges")
        let run = try await host.process().run(graph(["a", "b", "c"], fails: false), journal: "charges")
        #expect(run.isSuccess)
        #expect(host.names == ["a", "b", "c"])
    }

    @Test
    func `elements that are equal are as many as they are`() async throws {
        refuse("b")
        _ = try await host.process().run(Self.graph(["a", "a", "b"]).0, journal: "charges")
        host.answers { .text($0) }
        let run = try await host.process().run(Self.graph(["a", "b", "a", "a"]).0, journal: "charges")
        #expect(run.isSuccess)
        #expect(host.names == ["a", "a", "b", "b", "a"])
        #expect(Set(host.keys(of: "a")).count == 3)
    }

    @Test
    func `an element whose outcome is unknown is asked of the policy by itself`() async throws {
        host.answers { name in
            if name == "b" {
                throw RestClientError(.connectionClosed, "the connection was cut")
            }
            return .text(name)
        }
        _ = try await host.process().run(Self.graph(["a", "b"]).0, journal: "charges")
        let listed = try #require(try await host.process().journals.list().first)
        #expect(listed.finishedNodes == ["charge[0]", "items"])
        #expect(listed.unknownNodes == ["charge[1]"])
        host.answers { .text($0) }
        let refused = try await host.process().run(Self.graph(["a", "b"]).0, journal: "charges")
        #expect(refused.code(of: "charge") == .unknownOutcome)
        #expect(host.names == ["a", "b"])
        let (graph, _) = Self.graph(["a", "b"], [.unknownOutcome(.repeatWithSameKey)])
        #expect(try await host.process().run(graph, journal: "charges").isSuccess)
        #expect(host.names == ["a", "b", "b"])
        #expect(Set(host.keys(of: "b")).count == 1)
    }

    @Test
    func `elements without a result come back too, and may count as done`() async throws {
        func graph(fails: Bool) -> (JobGraph, JobHandle<[Void]>) {
            var graph = JobGraph("charges")
            let items = graph.input("items", ["a", "b"])
            let charges = graph.forEach("charge", in: items, limit: 1) { name in
                RequestNode(Void.self).endpoint("/{name}").parameter("name", name).method(.post)
            }
            graph.local("last", after: charges) { _ in
                if fails {
                    throw StepFailed()
                }
            }
            return (graph, charges)
        }
        host.answers { name in
            if name == "b" {
                throw RestClientError(.connectionClosed, "the connection was cut")
            }
            return .status(.noContent)
        }
        let journal = RunJournal("charges", unknownOutcome: .treatAsDone)
        _ = try await host.process().run(graph(fails: true).0, journal: journal)
        let second = try await host.process().run(graph(fails: true).0, journal: journal)
        #expect(second.node("charge")?.status == .success)
        let (last, charges) = graph(fails: false)
        let third = try await host.process().run(last, journal: journal)
        #expect(third.node("charge")?.status == .resumed)
        #expect(try third[charges].count == 2)
        #expect(host.names == ["a", "b"])
    }
}
