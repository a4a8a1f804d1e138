// SPDX-License-Identifier: MIT

import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// A pager that is moved to another position while it loads.
@Suite(.timeLimit(.minutes(5)))
struct PagerMoveTests {
    enum Move: Sendable, CaseIterable {
        case reset, resetTo, restore

        func perform(on pager: Pager<[Int], Int>) throws {
            switch self {
            case .reset: pager.reset()
            case .resetTo: try pager.restore(PagingState(position: .offset(40)))
            case .restore: try pager.restore(PagingState(position: .offset(40), pageCount: 2, itemCount: 40))
            }
        }

        var query: String { self == .reset ? "offset=0" : "offset=40" }
    }

    /// The requests that are never responded to.
    private let hanging = Recorder<Void>()

    /// The queries of requests that were cancelled.
    private let cancelled = Recorder<String>()

    /// A client whose request with a number, counted from one, is never responded to.
    private func client(hanging number: Int) -> StubbedClient {
        let count = Recorder<Void>()
        return StubbedClient(
            StubTransport { [cancelled, hanging] request in
                count.record(())
                if count.count == number {
                    hanging.record(())
                    await untilCancelled()
                    cancelled.record(request.query ?? "")
                    throw CancellationError()
                }
                return .text("[1,2,3]", headers: [.eTag: "\"\(count.count)\""])
            }
        )
    }

    private func pager(_ client: StubbedClient, _ rule: PageRule<[Int]> = .offset()) -> Pager<[Int], Int> {
        client.manager.request([Int].self).endpoint("/a").pages(rule).pager()
    }

    @Test(arguments: Move.allCases)
    func `a move during a load cancels the load, and its caller gets nothing`(move: Move) async throws {
        let client = client(hanging: 1)
        let pager = pager(client)
        let first = Task { try await pager.moveNext()?.items }
        try await client.transport.waitForRequests(count: 1)

        try move.perform(on: pager)

        #expect(try await first.value == nil)
        #expect(!pager.isLoading)
        #expect(try await cancelled.waitForCount(1) == ["offset=0"])
        #expect(try await pager.moveNext()?.items == [1, 2, 3])
        #expect(client.requests.map(\.query) == ["offset=0", move.query])
    }

    @Test(arguments: Move.allCases)
    func `a move cancels a page that is loaded ahead, and who waits for it gets nothing`(move: Move) async throws {
        let client = client(hanging: 2)
        let pager = pager(client, .offset().prefetching())
        #expect(try await pager.moveNext()?.items == [1, 2, 3])
        try await hanging.waitForCount(1)
        let waiting = Task { try await pager.moveNext()?.items }

        try move.perform(on: pager)

        #expect(try await cancelled.waitForCount(1) == ["offset=3"])
        // It waits for the page that is cancelled, or comes after the move and loads the page there.
        let items = try await waiting.value
        #expect(items == nil || items == [1, 2, 3])
        #expect(client.requests.count <= 4)
    }

    @Test
    func `a position of another kind leaves the load alone`() async throws {
        let gate = Gate()
        let client = StubbedClient(
            StubTransport { _ in
                try await gate.wait()
                return .text("[1]")
            }
        )
        let pager = pager(client)
        let first = Task { try await pager.moveNext()?.items }
        try await gate.waitForWaiters(count: 1)

        let error = #expect(throws: RestClientError.self) { try pager.restore(PagingState(position: .cursor("a"))) }
        gate.open()

        #expect(error?.code == .invalidPage)
        #expect(try await first.value == [1])
        #expect(pager.position == PagingState(position: .offset(1), pageCount: 1, itemCount: 1))
    }

    @Test
    func `a listing continues behind the page that it was moved to`() async throws {
        let client = client(hanging: 0)
        let pager = pager(client)

        try pager.restore(PagingState(position: .offset(40)))
        #expect(try await pager.moveNext()?.items == [1, 2, 3])

        #expect(pager.position == PagingState(position: .offset(43), pageCount: 1, itemCount: 3))
    }
}
