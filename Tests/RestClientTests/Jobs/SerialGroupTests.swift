// SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import Testing

@testable import JobGraphs
@testable import RestClient

@Suite(.timeLimit(.minutes(5)))
struct SerialGroupTests {
    private struct Failed: Error {}

    private let client = StubbedClient.echo()

    private func node(_ path: String) -> RequestNode<String> { .echo(path) }

    private func words<Output>(_ report: GroupReport<Output>) -> [String] {
        report.outcomes.map { outcome in
            switch outcome {
            case .success(let value): "\(value)"
            case .failure(let error):
                (error as? RestClientError)?.code.description ?? (error as? JobGraphError)?.code.description
                    ?? "\(error)"
            case .cancelled: "cancelled"
            case .skipped: "skipped"
            case .notRun: "notRun"
            }
        }
    }

    @Test
    func `steps run one after the other, and each sees the result of the one before`() async {
        let second = node("second")
            .handover { node, previous in
                node.parameter("path", try previous.value(as: String.self) + "2")
            }
        let third = LocalJob("third") { previous in try previous.value(as: String.self) + "3" }
        let report = await client.manager.serially([node("1"), second, third])
        #expect(words(report) == ["1", "12", "123"])
        #expect(client.requests.map(\.url).map { $0.suffix(3) } == ["/v1/1", "v1/12"].map { $0.suffix(3) })
        #expect(!report.stopped)
    }

    @Test
    func `a failed step stops the chain, and later steps are not run`() async {
        let log = EventRecorder(client.manager)
        let report = await client.manager.serially([node("1"), node("bad"), node("3"), node("4")])
        #expect(words(report) == ["1", "unacceptableStatus", "notRun", "notRun"])
        #expect(report.stopped)
        #expect(client.requests.count == 2)
        #expect(log.lines.last == "groupFinished stopped")
    }

    @Test
    func `a chain that continues passes the failure to the next step`() async {
        let second = LocalJob("second") { previous in (previous.outcome?.error as? RestClientError)?.status?.code ?? 0 }
        let third = LocalJob("third") { previous in try previous.value(as: Int.self) + 1 }
        for (reaction, outcome) in [(FailureReaction.continue, RunReport.Outcome.failure), (.ignore, .success)] {
            let report = await client.manager.serially([node("bad"), second, third], onFailure: reaction)
            #expect(words(report) == ["unacceptableStatus", "409", "410"])
            #expect(!report.stopped)
            #expect(report.report.outcome == outcome)
        }
    }

    @Test
    func `a step that wants the value of a failed step gets its error`() async {
        let second = LocalJob("second") { previous in try previous.value(as: String.self) }
        let report = await client.manager.serially([node("bad"), second], onFailure: .continue)
        #expect((report[1].error as? RestClientError)?.status == .conflict)
    }

    @Test
    func `a failure of the last step leaves nothing out`() async {
        let report = await client.manager.serially([node("1"), node("bad")])
        #expect(!report.stopped)
        #expect(!report.isSuccess)
    }

    @Test
    func `a step that cannot be resolved fails, and the chain ends`() async {
        let report = await client.manager.serially([node("1").server("unknown"), node("2")])
        #expect(words(report) == ["unknownServer", "notRun"])
    }

    @Test
    func `a value of another type than the one wanted names both`() async {
        let second = LocalJob("second") { previous in try previous.value(as: Int.self) }
        let report = await client.manager.serially([node("1"), second])
        let error = report[1].error as? JobGraphError
        #expect(error?.code == .missingPreviousResult)
        #expect(error?.message.contains("String") == true)
        #expect(error?.message.contains("Int") == true)
    }

    @Test
    func `a hand-over that throws fails its step before anything is sent`() async {
        let second = node("2").handover { _, _ in throw Failed() }
        let report = await client.manager.serially([node("1"), second])
        #expect(report[1].error is Failed)
        #expect(client.requests.count == 1)
    }

    @Test
    func `a hand-over may give another node, with its own decoding and its own handlers`() async throws {
        let replaced = node("2")
            .handover { _, previous in
                let first = try previous.value(as: String.self)
                return RequestNode(String.self).endpoint("/other").decode { _ in "decoded" }
                    .mapResult { result in
                        try result.get() + " after " + first
                    }
            }
        let report = await client.manager.serially([node("1"), replaced])
        #expect(words(report) == ["1", "decoded after 1"])
        #expect(client.requests.last?.url == "https://api.example.com/v1/other")
    }

    @Test
    func `a call alone has no previous result`() async throws {
        let node = client.manager.request(String.self).endpoint("/a")
            .handover { node, previous in
                #expect(previous.outcome == nil)
                return node.endpoint("/b")
            }
        #expect(try await node.send() == "b")
    }

    @Test
    func `a cancelled chain cancels the step that runs and leaves the others out`() async throws {
        let gate = Gate()
        let log = EventRecorder(client.manager)
        let chain = Task { [manager = client.manager, first = node("1"), last = node("3")] in
            await manager.serially([first, LocalJob("2") { try await gate.wait() }, last])
        }
        try await gate.waitForWaiters(count: 1)
        chain.cancel()
        let report = await chain.value
        #expect(words(report) == ["1", "cancelled", "notRun"])
        #expect(report.stopped)
        #expect(client.requests.count == 1)
        #expect(log.lines.suffix(2) == ["localJobCancelled 2", "groupFinished stopped"])
    }

    @Test
    func `the same step may be there twice`() async {
        let twice = node("1")
        #expect(words(await client.manager.serially([twice, twice])) == ["1", "1"])
    }

    @Test
    func `all events of a chain carry its identifier`() async {
        let log = EventRecorder(client.manager)
        let report = await client.manager.serially([node("1"), LocalJob("2") {}])
        #expect(log.events.allSatisfy { $0.groupID == report.id })
        #expect(
            log.lines == [
                "groupStarted 2", "callStarted", "attemptStarted 1", "attemptFinished 1 200",
                "modelLoaded", "callSucceeded 200 network", "localJobStarted 2", "localJobSucceeded 2", "groupFinished",
            ]
        )
    }

    // MARK: - Results in their own types

    @Test
    func `a tuple gives the result of each step in its own type`() async throws {
        let second = LocalJob("second") { previous in try previous.value(as: String.self).count }
        let (first, count, last) = try await client.manager.serially(node("one"), second, node("3"))
        #expect((first, count, last) == ("one", 3, "3"))
        #expect(client.requests.count == 2)
    }

    @Test
    func `the first failure of a tuple is thrown, and no later step is started`() async {
        let begun = Counter()
        let error = await #expect(throws: RestClientError.self) {
            _ = try await client.manager.serially(node("1"), node("bad"), LocalJob("3") { begun.next() })
        }
        #expect(error?.status == .conflict)
        #expect(begun.value == 0)
    }

    @Test
    func `a step that throws a CancellationError of its own ends a tuple with it`() async {
        await #expect(throws: CancellationError.self) {
            _ = try await client.manager.serially(LocalJob("1") { throw CancellationError() }, node("2"))
        }
        #expect(client.requests.isEmpty)
    }

    @Test
    func `steps of one type give results of that type`() async {
        let report: GroupReport<String> = await client.manager.serially(["1", "bad", "3"].map(node))
        #expect(report.values == ["1"])
        #expect(report.stopped)
        let all = await client.manager.serially(["1", "bad", "3"].map(node), onFailure: .continue)
        #expect(all.values == ["1", "3"])
    }
}
