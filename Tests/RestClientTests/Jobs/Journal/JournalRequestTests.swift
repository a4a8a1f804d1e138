// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import JobGraphs
@testable import RestClient

/// Unsafe requests in runs with a journal: what they carry, and when their outcome counts as unknown.
@Suite(.timeLimit(.minutes(5)))
struct JournalRequestTests {
    private let host = JournalHost()

    private func lose(_ lost: String) {
        host.answers { name in
            if name == lost {
                throw RestClientError(.connectionClosed, "the connection was cut")
            }
            return .text(name)
        }
    }

    private func unknownNodes() async throws -> [String] {
        try await host.process().journals.list().first?.unknownNodes ?? []
    }

    private static func graph(
        _ options: JobOptions? = nil,
        _ make: @escaping @Sendable () -> RequestNode<String>
    ) -> JobGraph {
        var graph = JobGraph("charge")
        graph.request("charge", options: options) { make() }
        return graph
    }

    @Test
    func `the request's own key is repeated, even if a new one is made each time`() async throws {
        let graph = Self.graph {
            JournalHost.node("charge", .post).header("Idempotency-Key", UUID().uuidString)
        }
        lose("charge")
        _ = try await host.process().run(graph, journal: "pay")
        host.answers { .text($0) }
        let journal = RunJournal("pay", unknownOutcome: .repeatWithSameKey)
        #expect(try await host.process().run(graph, journal: journal).isSuccess)
        let keys = host.keys(of: "charge")
        #expect(keys.count == 2)
        #expect(keys[0] == keys[1])
    }

    /// Keys that a request asks for in the first run and in the next one, and the key of both.
    private static let ownKeys: [(first: IdempotencyKey, next: IdempotencyKey, sent: String?)] = [
        (.perCall, .perCall, nil), (.of("order-7"), .of("other"), "order-7"),
        (.derived { "\($0.method.rawValue)-7" }, .perCall, "POST-7"),
    ]

    @Test(arguments: ownKeys)
    func `a key that the journal has recorded outlives the process`(
        keys: (first: IdempotencyKey, next: IdempotencyKey, sent: String?)
    ) async throws {
        let name = try #require(HTTPField.Name("X-Once"))
        var retry = RetryPolicy(attempts: 2)
        retry.backoff.first = .zero
        let graph = Self.graph { [retry] in
            JournalHost.node("charge", .post).retry(retry).idempotencyKey(keys.first, field: "X-Once")
        }
        lose("charge")
        _ = try await host.process().run(graph, journal: "pay")
        host.answers { .text($0) }
        let other = Self.graph { JournalHost.node("charge", .post).idempotencyKey(keys.next, field: "X-Once") }
        let journal = RunJournal("pay", unknownOutcome: .repeatWithSameKey)
        #expect(try await host.process().run(other, journal: journal).isSuccess)

        // The first run made two attempts.
        let sent = host.requests.elements.map { $0.headers[name] }
        #expect(sent.count == 3)
        #expect(Set(sent).count == 1)
        #expect(sent.first != .some(nil))
        #expect(keys.sent == nil || sent.first == keys.sent)
        #expect(host.keys(of: "charge") == [nil, nil, nil])
    }

    @Test
    func `a request that is declared idempotent is sent again by the next run, without a record`() async throws {
        let graph = Self.graph { JournalHost.node("login", .post).idempotent() }
        let process = try host.process()
        let seen = Recorder<[String]>()
        host.answers { [host] _ in
            seen.record(try await process.journals.list().first?.unknownNodes ?? ["none"])
            guard host.requests.count > 1 else {
                throw RestClientError(.connectionClosed, "the connection was cut")
            }
            return .text("token")
        }
        defer { host.answers { .text($0) } }
        #expect(try await process.run(graph, journal: "pay").isSuccess == false)
        #expect(try await process.run(graph, journal: "pay").isSuccess)
        #expect(seen.elements == [[], []])
        #expect(host.keys(of: "login") == [nil, nil])
    }

    @Test
    func `a key that the manager provides for each attempt gives way to the node's`() async throws {
        let graph = Self.graph { JournalHost.node("charge", .post) }
        lose("charge")
        let journal = RunJournal("pay", unknownOutcome: .repeatWithSameKey)
        for _ in 0..<2 {
            let process = try host.process()
            let name = try #require(HTTPField.Name("Idempotency-Key"))
            process.options = process.options.header(name) { UUID().uuidString }
            _ = try await process.run(graph, journal: journal)
        }
        #expect(Set(host.keys(of: "charge")).count == 1)
        #expect(host.keys(of: "charge").count == 2)
    }

    @Test
    func `no file of a journal or a cache holds a token`() async throws {
        let session = TokenSource(AccessToken("s3cret")) { _ in AccessToken("s3cret too") }
        let graph = Self.graph { JournalHost.node("charge", .post).bearer(session) }
        lose("charge")
        let process = try host.process()
        _ = try await process.run(graph, journal: "pay")
        host.answers { .text($0, headers: [.vary: "Authorization", .cacheControl: "max-age=60"]) }
        _ = try await process.run(JournalHost.node("cached").bearer(session).cache(.http))
        #expect(host.requests.elements.map { $0.headers[.authorization] } == ["Bearer s3cret", "Bearer s3cret"])
        let files = try FileManager.default.contentsOfDirectory(atPath: host.folder.path)
        #expect(files.contains("journal.sqlite"))
        for file in files {
            let bytes = try? Data(contentsOf: host.folder.appendingPathComponent(file))
            #expect(bytes?.ranges(of: Data("s3cret".utf8)).isEmpty != false)
        }
    }

    @Test
    func `a request that never went out has no unknown outcome`() async throws {
        let process = try host.process { $0.workerCount = 1 }
        let gate = Gate()
        let occupant = Task { try await process.core.workers.withSlot(lendsSlot: false) { try await gate.wait() } }
        try await gate.waitForWaiters(count: 1)
        let graph = Self.graph { JournalHost.node("charge", .post) }
        let run = Task { try await process.run(graph, journal: "pay") }
        try await process.workers.wait { $0.waiting == 1 }
        run.cancel()
        #expect(try await run.value.status == .cancelled)
        gate.open()
        try await occupant.value
        #expect(try await unknownNodes().isEmpty)
        // A cancelled run is resumed later.
        #expect(try await host.process().run(graph, journal: "pay").isSuccess)
        #expect(host.names == ["charge"])
    }

    @Test
    func `a request that was cancelled on its way has one`() async throws {
        let gate = Gate()
        host.answers { name in
            try await gate.wait()
            return .text(name)
        }
        let process = try host.process()
        let graph = Self.graph { JournalHost.node("charge", .post) }
        let run = Task { try await process.run(graph, journal: "pay") }
        try await gate.waitForWaiters(count: 1)
        run.cancel()
        #expect(try await run.value.status == .cancelled)
        #expect(try await unknownNodes() == ["charge"])
    }

    @Test(
        arguments: [
            (HTTPResponse.Status.conflict, [:], false), (.tooManyRequests, [:], false), (.requestTimeout, [:], true),
            (.internalServerError, [:], true), (.serviceUnavailable, [:], true),
            (.serviceUnavailable, [.retryAfter: "1"], false),
        ] as [(HTTPResponse.Status, HTTPFields, Bool)]
    )
    func `a response that refuses the request makes its outcome known`(
        status: HTTPResponse.Status,
        headers: HTTPFields,
        isUnknown: Bool
    ) async throws {
        host.answers { _ in .status(status, headers: headers) }
        _ = try await host.process().run(Self.graph { JournalHost.node("charge", .post) }, journal: "pay")
        #expect(try await unknownNodes().isEmpty == !isUnknown)
    }

    @Test
    func `a rejection does not reveal the outcome of an earlier attempt`() async throws {
        let answers = Counter()
        host.answers { _ in
            guard answers.next() > 1 else {
                throw RestClientError(.connectionClosed, "the connection was cut")
            }
            return .status(.conflict)
        }
        var policy = RetryPolicy(attempts: 2)
        policy.backoff.first = .zero
        policy.retriesUnsafeWork = true
        _ = try await host.process()
            .run(Self.graph([.retry(policy)]) { JournalHost.node("charge", .post) }, journal: "pay")
        #expect(host.names.count == 2)
        #expect(try await unknownNodes() == ["charge"])
    }

    @Test
    func `requests of one job have keys of their own, the same each time`() async throws {
        struct Two: Job {
            func run(in context: JobContext) async throws -> String {
                let first = try await JournalHost.node("first", .post).run(in: context)
                return try await first + JournalHost.node("second", .post).run(in: context)
            }
        }
        var graph = JobGraph("two")
        graph.job("two") { Two() }
        lose("second")
        let journal = RunJournal("two", unknownOutcome: .repeatWithSameKey)
        _ = try await host.process().run(graph, journal: journal)
        host.answers { .text($0) }
        #expect(try await host.process().run(graph, journal: journal).isSuccess)
        #expect(host.names == ["first", "second", "first", "second"])
        #expect(Set(host.keys(of: "first")).count == 1)
        #expect(Set(host.keys(of: "second")).count == 1)
        #expect(host.keys(of: "first") != host.keys(of: "second"))
    }

    @Test
    func `names that contain separators are distinguished`() async throws {
        func graph(fails: Bool) -> JobGraph {
            var graph = JobGraph("names")
            graph.subgraph("a", after: graph.input("start", 1)) { inside, _ in
                inside.request("b") { JournalHost.node("inside", .post) }
            }
            let twin = graph.request("a/b") { JournalHost.node("beside", .post) }
            graph.local("last", after: twin) { _ in
                if fails {
                    throw StepFailed()
                }
            }
            return graph
        }
        _ = try await host.process().run(graph(fails: true), journal: "names")
        let run = try await host.process().run(graph(fails: false), journal: "names")
        #expect(run.statuses == [.success, .resumed, .resumed, .success])
        #expect(Set(host.names) == ["inside", "beside"])
        #expect(host.names.count == 2)
    }

    @Test
    func `an input is the same when it is equal, however it is encoded`() async throws {
        struct Shuffled: Codable, Equatable, Sendable {
            let members: [Int]

            init(_ members: [Int]) {
                self.members = members
            }

            static func == (first: Shuffled, second: Shuffled) -> Bool {
                first.members.sorted() == second.members.sorted()
            }
        }
        func graph(_ members: [Int], fails: Bool) -> JobGraph {
            var graph = JobGraph("set")
            let set = graph.input("set", Shuffled(members))
            let charge = graph.request("charge", after: set) { _ in JournalHost.node("charge", .post) }
            graph.local("last", after: charge) { _ in
                if fails {
                    throw StepFailed()
                }
            }
            return graph
        }
        _ = try await host.process().run(graph([1, 2, 3], fails: true), journal: "set")
        let run = try await host.process().run(graph([3, 1, 2], fails: false), journal: "set")
        #expect(run.statuses == [.success, .resumed, .success])
    }

    @Test(arguments: [UnknownOutcome.fail, .treatAsDone, .repeatWithSameKey])
    func `a retry of a job of several requests repeats none that succeeded, unless its key may be sent again`(
        policy: UnknownOutcome
    ) async throws {
        host.answers { $0 == "second" ? .status(.tooManyRequests) : .text($0) }
        var graph = JobGraph("pay")
        graph.job("pay", options: [.retry(Self.twice), .unknownOutcome(policy)]) { BothRequests() }

        let run = try await host.process().run(graph, journal: "pay")

        #expect(!run.isSuccess)
        let once = ["first", "second"]
        #expect(host.names == (policy == .repeatWithSameKey ? once + once : once))
        #expect(Set(host.keys(of: "first")).count == 1)
    }

    @Test
    func `a retry around a job of several requests goes on where its result is stored`() async throws {
        let tries = Counter()
        host.answers { $0 == "third" && tries.next() == 1 ? .status(.tooManyRequests) : .text($0) }
        var graph = JobGraph("outer")
        graph.subgraph("pay", options: [.retry(Self.twice)]) { (inside: inout JobGraph) in
            let both = inside.job("both") { BothRequests() }
            return inside.request("third", after: both) { _ in JournalHost.node("third", .post) }
        }

        let run = try await host.process().run(graph, journal: "pay")

        #expect(run.isSuccess)
        #expect(host.names == ["first", "second", "third", "third"])
    }

    @Test(arguments: [UnknownOutcome.fail, .treatAsDone, .repeatWithSameKey], [true, false])
    func `a request inside of work that is done once is a part of it, and what follows keeps its key`(
        policy: UnknownOutcome,
        isInContext: Bool
    ) async throws {
        let tries = Counter()
        host.answers { $0 == "second" && tries.next() == 1 ? .status(.tooManyRequests) : .text($0) }
        let manager = try host.process()
        var graph = JobGraph("pay")
        graph.job("pay", options: [.retry(Self.twice), .unknownOutcome(policy)]) {
            OnceAndThen { context in
                let first = JournalHost.node("first", .post)
                return isInContext ? try await first.run(in: context) : try await manager.run(first)
            }
        }

        let run = try await manager.run(graph, journal: "pay")

        #expect(run.isSuccess)
        #expect(host.names == ["first", "second", "second"])
        #expect(Set(host.keys(of: "second")).count == 1)
        #expect(Set(host.keys(of: "first")).isDisjoint(with: host.keys(of: "second")))
    }

    @Test(arguments: [RunJournal.AfterSuccess.keep, .restart])
    func `a run with a journal that succeeded inside of a job is not done again by the job's retry`(
        afterSuccess: RunJournal.AfterSuccess
    ) async throws {
        let manager = try host.process()
        var inner = JobGraph("inner")
        inner.request("charge") { JournalHost.node("charge", .post) }
        var outer = JobGraph("outer")
        outer.local("import", options: [.retry(Self.twice)]) { [inner] in
            _ = try await manager.run(inner, journal: RunJournal("inner", afterSuccess: afterSuccess))
            _ = try await manager.run(JournalHost.node("late"))
        }
        host.answers { $0 == "late" ? .status(.serviceUnavailable) : .text($0) }

        let run = try await manager.run(outer)

        #expect(!run.isSuccess)
        // A run that would start over is not attempted again.
        #expect(host.names == ["charge", "late"] + (afterSuccess == .keep ? ["late"] : []))
    }

    @Test(arguments: [UnknownOutcome.fail, .treatAsDone], [true, false])
    func `a retry around a job that failed after a request does not hide its error`(
        policy: UnknownOutcome,
        isDoneOnce: Bool
    ) async throws {
        host.answers { $0 == "second" ? .status(.tooManyRequests) : .text($0) }
        var graph = JobGraph("outer")
        graph.subgraph("pay", options: [.retry(Self.twice)]) { (inside: inout JobGraph) in
            let options: JobOptions = [.unknownOutcome(policy)]
            guard isDoneOnce else {
                return inside.job("both", options: options) { BothRequests() }
            }
            return inside.job("both", options: options) {
                OnceAndThen { try await JournalHost.node("first", .post).run(in: $0) }
            }
        }

        let run = try await host.process().run(graph, journal: "pay")

        #expect(!run.isSuccess)
        #expect((run.node("pay")?.error as? RestClientError)?.status == .tooManyRequests)
        #expect(host.names == ["first", "second"])
    }

    private static var twice: RetryPolicy {
        var policy = RetryPolicy(attempts: 2)
        policy.backoff.first = .zero
        return policy
    }
}

/// Sends two unsafe requests, one after the other.
private struct BothRequests: Job {
    func run(in context: JobContext) async throws {
        for name in ["first", "second"] {
            _ = try await JournalHost.node(name, .post).run(in: context)
        }
    }
}

/// Does work once, and then sends a request.
private struct OnceAndThen: Job {
    let work: @Sendable (JobContext) async throws -> String

    func run(in context: JobContext) async throws {
        _ = try await context.once { _ in try await work(context) }
        _ = try await JournalHost.node("second", .post).run(in: context)
    }
}
