// SPDX-License-Identifier: MIT

import JobGraphs
import TestSupport
import Testing

@testable import RestClient

/// Listings in the report of a run: each page is an inner node.
@Suite(.timeLimit(.minutes(5)))
struct ListingReportTests {
    private static let listing = RequestNode([Int].self).endpoint("/list").pages(.number())

    @Test
    func `a listing is one line a page`() async throws {
        let client = StubbedClient(answering: .text("[1,2]"), .text("[3]"), .text("[]"))
        var graph = JobGraph("export")
        let items = graph.job("items") { Self.listing }

        let run = try await client.manager.run(graph)

        let node = try #require(run.report.nodes.first)
        #expect(try run[items] == [1, 2, 3])
        #expect(node.kind == .pages)
        #expect(node.detail == "3 pages")
        #expect(node.attempts == 1)
        #expect(node.spans.isEmpty)
        #expect(node.children.map(\.name) == ["page 1", "page 2", "page 3"])
        #expect(node.children.map(\.kind) == [.request, .request, .request])
        #expect(node.children.map(\.dependencies) == [[], ["page 1"], ["page 2"]])
        #expect(
            node.children.map { $0.detail?.hasPrefix("GET https://api.example.com/v1/list") } == [true, true, true]
        )
    }

    @Test
    func `the attempts of a page are those of its line`() async throws {
        let client = StubbedClient(answering: .text("[1]"), .status(.serviceUnavailable), .text("[]"))
        var policy = RetryPolicy(attempts: 2)
        policy.backoff.first = .zero
        client.manager.options = client.manager.options.retry(policy)
        var graph = JobGraph("export")
        graph.job("items") { Self.listing }

        let node = try #require(try await client.manager.run(graph).report.nodes.first)

        #expect(node.children.map(\.attempts) == [1, 2])
        #expect(node.attempts == 1)
    }

    @Test
    func `a further attempt of the listing has lines of its own`() async throws {
        let client = StubbedClient(
            answering: .text("[1]"),
            .status(.serviceUnavailable),
            .text("[1]"),
            .text("[]")
        )
        var policy = RetryPolicy(attempts: 2)
        policy.backoff.first = .zero
        var graph = JobGraph("export")
        let items = graph.job("items", options: [.retry(policy)]) { Self.listing }

        let run = try await client.manager.run(graph)

        let node = try #require(run.report.nodes.first)
        #expect(try run[items] == [1])
        #expect(node.children.map(\.name) == ["page 1", "page 2", "page 1 #2", "page 2 #2"])
        #expect(node.children.map(\.status) == [.success, .failure, .success, .success])
        #expect(node.children[2].dependencies.isEmpty)
        #expect(node.attempts == 2)
        #expect(node.detail == "2 pages")
    }

    @Test
    func `a page that cannot be loaded says why, and the listing fails with the same error`() async throws {
        let client = StubbedClient(answering: .text("[1]"), .status(.conflict))
        var graph = JobGraph("export")
        graph.job("items") { Self.listing }

        let node = try #require(try await client.manager.run(graph).report.nodes.first)

        #expect(node.status == .failure)
        #expect(node.children.map(\.status) == [.success, .failure])
        #expect(node.children.last?.error?.contains("409") == true)
        #expect(node.error?.contains("409") == true)
    }

    @Test
    func `a listing of each element has its pages in its element`() async throws {
        let client = StubbedClient(answering: .text("[]"))
        var graph = JobGraph("export")
        let users = graph.input("users", ["ada", "kim"])
        graph.forEach("orders", in: users, label: \.self) { _ in Self.listing }

        let loop = try #require(try await client.manager.run(graph).report.nodes.last)

        #expect(loop.children.map(\.name) == ["orders[0]", "orders[1]"])
        #expect(loop.children.map(\.label) == ["ada", "kim"])
        #expect(loop.children.map(\.kind) == [.pages, .pages])
        #expect(loop.children.map { $0.children.map(\.name) } == [["page 1"], ["page 1"]])
    }
}
