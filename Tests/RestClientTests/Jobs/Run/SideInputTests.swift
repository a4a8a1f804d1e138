// SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import Testing

@testable import JobGraphs
@testable import RestClient

/// Loops, fallbacks and compensations that need other results than those they are for, like a token.
@Suite(.timeLimit(.minutes(5)))
struct SideInputTests {
    private struct Failed: Error {}

    private let client = StubbedClient.echo()

    @Test
    func `every element of a loop receives the inputs of the loop`() async throws {
        var graph = JobGraph("loops")
        let (token, day) = (graph.local("token") { "t" }, graph.input("day", 7))
        let items = graph.input("items", [1, 2])
        let requests = graph.forEach("requests", in: items, after: token, day, limit: 2) { item, token, day in
            let path = "\(token)\(day)-\(item)"
            return RequestNode.echo(path)
        }
        let outcomes = graph.forEachOutcome("outcomes", in: items, after: token) { item, token in
            RequestNode.echo("\(token)\(item)")
        }
        let work = graph.forEach("work", in: items, after: day) { item, day in item + day }
        let plain = graph.forEach("plain", in: items) { item in RequestNode.echo("\(item)") }
        let run = try await client.manager.run(graph)
        #expect(try run[requests] == ["t7-1", "t7-2"])
        #expect(try run[outcomes].map(\.value) == ["t1", "t2"])
        #expect(try run[work] == [8, 9])
        #expect(try run[plain] == ["1", "2"])
        #expect(run.report.nodes[3].dependencies == ["items", "token", "day"])
    }

    @Test
    func `a loop is skipped when something has no result that its elements need`() async throws {
        var graph = JobGraph("skipped")
        let token = graph.local("token") { () throws -> String in throw Failed() }
        let items = graph.input("items", [1])
        graph.forEach("loop", in: items, after: token) { item, token in RequestNode.echo("\(token)\(item)") }
        #expect(try await client.manager.run(graph).node("loop")?.status == .skipped)
        #expect(client.requests.isEmpty)
    }

    @Test
    func `a fallback receives its inputs in addition to the error`() async throws {
        var graph = JobGraph("fallbacks")
        let token = graph.local("token") { "t" }
        let bad = graph.request("bad", after: token) { _ in RequestNode.echo("bad") }
        let fallback = graph.fallback("fallback", for: bad, after: token) { error, token in
            RequestNode.echo("\(token)-\((error as? RestClientError)?.status?.code ?? 0)")
        }
        let recovered = graph.fallback("recovered", for: bad, after: token) { _, token in "saved by \(token)" }
        let run = try await client.manager.run(graph)
        #expect(try run[fallback] == "t-409")
        #expect(try run[recovered] == "saved by t")
        #expect(run.isSuccess)
    }

    @Test
    func `a compensation receives its inputs in addition to the result`() async throws {
        let undone = Recorder<String>()
        var graph = JobGraph("saga")
        let token = graph.local("token") { "t" }
        let booking = graph.request("book", after: token) { _ in RequestNode.echo("booked") }
        graph.undo("cancel", of: booking, after: token) { booking, token in RequestNode.echo("\(token)-\(booking)") }
        let seat = graph.local("seat", after: booking) { _ in 12 }
        graph.undo("free", of: seat, after: token) { seat, token in
            undone.record("\(seat) \(token)")
        }
        graph.local("fails", after: seat) { _ in throw Failed() }
        let run = try await client.manager.run(graph)
        #expect(run.compensations.map(\.outcome.isSuccess) == [true, true])
        #expect(client.requests.last?.url.hasSuffix("/t-booked") == true)
        #expect(undone.elements == ["12 t"])
    }

    @Test
    func `handles of another graph are found`() {
        var other = JobGraph("other")
        let foreign = other.input("foreign", 1)
        var graph = JobGraph("graph")
        let own = graph.input("own", [1])
        graph.forEach("loop", in: own, after: foreign) { _, _ in RequestNode.echo("a") }
        let bad = graph.local("bad") { "" }
        graph.fallback("recover", for: bad, after: foreign) { _, _ in "" }
        graph.undo("undo", of: bad, after: foreign) { _, _ in }
        #expect(graph.defectsFound.map(\.code) == [.unknownJobHandle, .unknownJobHandle, .unknownJobHandle])
    }
}
