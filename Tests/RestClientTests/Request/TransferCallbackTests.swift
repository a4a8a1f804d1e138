// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClientTesting
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// The handlers of nodes whose response is streamed, or loaded into a file.
@Suite(.timeLimit(.minutes(5)))
struct TransferCallbackTests {
    enum Situation: Sendable, CaseIterable {
        case success, unauthorized, timeout, offline, cancelled, notFound, unknownServer
        /// A failure that a mapper of the node, or of the server, made another error of.
        case mapped, mappedByServer, mappedByBoth
    }

    enum Transfer: Sendable, CaseIterable {
        case stream, download
    }

    struct Foreign: Error {}

    private let calls = Recorder<String>()

    private func client(_ situation: Situation = .success) -> StubbedClient {
        let client = StubbedClient(
            StubTransport { _ in
                switch situation {
                case .success, .unknownServer: return .text("content")
                case .unauthorized: return .status(.unauthorized)
                case .timeout: throw RestClientError(.timeout, "it took too long")
                case .offline, .mapped, .mappedByServer, .mappedByBoth:
                    throw RestClientError(.hostNotFound, "there is no such host")
                case .cancelled: throw CancellationError()
                case .notFound: return .status(.notFound)
                }
            }
        )
        let server = Server("https://api.example.com/v1")
        switch situation {
        case .mappedByServer: client.manager.servers["store"] = server.mapError { _ in Foreign() }
        case .mappedByBoth: client.manager.servers["store"] = server.mapError { _ in RestClientError(.notCached, "no") }
        default: break
        }
        return client
    }

    /// A client whose response has these chunks, and then ends as the closure says.
    private func client(
        _ chunks: [String],
        _ end: @escaping @Sendable (AsyncThrowingStream<Data, any Error>.Continuation) -> Void
    ) -> StubbedClient {
        StubbedClient(
            StubTransport { _ in
                let (stream, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
                for chunk in chunks {
                    continuation.yield(Data(chunk.utf8))
                }
                end(continuation)
                var response = RawResponse(headers: [.contentType: "text/event-stream"])
                response.stream = ByteStream(stream)
                return response
            }
        )
    }

    private func node(_ client: StubbedClient, special: Bool = true) -> RequestNode<String> {
        let node = client.manager.request(String.self).endpoint("/a").retry(.never)
            .onStart { [calls] in calls.record("start") }
            .onSuccess { [calls] _ in calls.record("success") }
            .onError { [calls] error in calls.record("error \(type(of: error))") }
        guard special else {
            return node
        }
        return node.onError(of: .unauthorized) { [calls] _ in calls.record("unauthorized") }
            .onError(of: .timeout) { [calls] _ in calls.record("timeout") }
            .onError(of: .network) { [calls] error in calls.record("offline \(type(of: error))") }
            .onError(of: .cancelled) { [calls] _ in calls.record("cancel") }
    }

    private func perform(_ transfer: Transfer, _ node: RequestNode<String>) async throws {
        switch transfer {
        case .stream:
            for try await _ in try await node.stream().bytes {}
        case .download:
            let directory = try TemporaryDirectory()
            try await node.download(to: directory.path("file").path)
        }
    }

    private func run(_ transfer: Transfer, _ situation: Situation, special: Bool) async {
        let client = client(situation)
        var node = node(client, special: special)
        switch situation {
        case .mapped, .mappedByBoth: node = node.mapError { _ in Foreign() }
        case .unknownServer: node = node.server("nowhere")
        default: break
        }
        try? await perform(transfer, node)
        await client.manager.calls.finished()
    }

    // MARK: - Ends

    @Test(
        arguments: Transfer.allCases,
        [
            (Situation.success, [String]()), (.unauthorized, ["unauthorized"]), (.timeout, ["timeout"]),
            (.offline, ["offline RestClientError"]), (.cancelled, ["cancel"]),
            (.notFound, ["error RestClientError"]), (.unknownServer, ["error RestClientError"]),
            (.mapped, ["offline Foreign"]), (.mappedByServer, ["offline Foreign"]),
            (.mappedByBoth, ["offline Foreign"]),
        ]
    )
    func `the handler for the end is called once, the special one first`(
        transfer: Transfer,
        end: (Situation, [String])
    ) async {
        await run(transfer, end.0, special: true)
        #expect(calls.elements == ["start"] + end.1)
    }

    @Test(arguments: Transfer.allCases, Situation.allCases)
    func `without special handlers the general one is called for errors`(
        transfer: Transfer,
        situation: Situation
    ) async {
        await run(transfer, situation, special: false)
        #expect(calls.elements.map { $0.prefix(5) } == (situation == .success ? ["start"] : ["start", "error"]))
    }

    @Test(arguments: [nil, .manager, .server, .call] as [CallOptions.Level?])
    func `a download whose file is not the expected one says so, whatever failed before`(
        mapper: CallOptions.Level?
    ) async throws {
        let count = Recorder<Void>()
        let client = StubbedClient(
            StubTransport { _ in
                count.record(())
                guard count.count > 1 else {
                    throw RestClientError(.connectionClosed, "it is gone")
                }
                return .text("content")
            }
        )
        var policy = RetryPolicy(attempts: 2)
        policy.backoff.first = .zero
        let directory = try TemporaryDirectory()
        var node = node(client).retry(policy)
        switch mapper {
        case .manager: client.manager.options = client.manager.options.mapError { _ in Foreign() }
        case .server:
            client.manager.servers["store"] = Server("https://api.example.com/v1").mapError { _ in Foreign() }
        case .call: node = node.mapError { _ in Foreign() }
        default: break
        }

        let sent = node
        let error = await #expect(throws: (any Error).self) {
            try await sent.download(to: directory.path("file").path, sha256: Data(repeating: 0, count: 32))
        }

        #expect((error as? RestClientError)?.code == (mapper == nil ? .digestMismatch : nil))
        #expect(calls.elements == ["start", mapper == nil ? "error RestClientError" : "error Foreign"])
    }

    /// Fails at first as the network does, and then with an error of its own.
    private struct Faulty: Interceptor {
        let count = Recorder<Void>()

        func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
            count.record(())
            guard count.count > 1 else {
                throw RestClientError(.connectionClosed, "it is gone")
            }
            throw Foreign()
        }
    }

    @Test
    func `an error of the user's own is not taken for the failure of an earlier request`() async throws {
        let faulty = Faulty()
        var policy = RetryPolicy(attempts: 2)
        policy.backoff.first = .zero

        await #expect(throws: Foreign.self) {
            try await perform(.download, node(client()).retry(policy).interceptors(faulty))
        }

        #expect(faulty.count.count == 2)
        #expect(calls.elements == ["start", "error Foreign"])
    }

    // MARK: - The body of a stream

    @Test
    func `an error that comes with the body is handled before the reader gets it`() async throws {
        let client = client(["one"]) { $0.finish(throwing: RestClientError(.connectionClosed, "it is gone")) }
        let response = try await node(client).stream()
        #expect(calls.elements == ["start"])

        await #expect(throws: RestClientError.self) {
            for try await chunk in response.bytes {
                calls.record(String(decoding: chunk, as: UTF8.self))
            }
        }

        #expect(calls.elements == ["start", "one", "offline RestClientError"])
    }

    @Test
    func `a reader that stops, or never begins, cancels the call`() async throws {
        let client = client(["one", "two"]) { _ in }
        func readOnce() async throws {
            for try await _ in try await node(client).stream().bytes { break }
        }
        func readNothing() async throws {
            _ = try await node(client).stream()
        }

        try await readOnce()
        await client.manager.calls.finished()
        #expect(calls.elements == ["start", "cancel"])

        try await readNothing()
        await client.manager.calls.finished()
        #expect(calls.elements == ["start", "cancel", "start", "cancel"])
    }

    @Test
    func `a stream that is cancelled in the table calls the handler, although nobody reads`() async throws {
        let client = client([]) { _ in }
        let response = try await node(client).stream()

        #expect(client.manager.calls.cancel(.all) == 1)
        await client.manager.calls.finished()

        #expect(calls.elements == ["start", "cancel"])
        #expect(client.manager.calls.running().isEmpty)
        withExtendedLifetime(response) {}
    }

    @Test(arguments: Transfer.allCases)
    func `a transfer that is cancelled while its first handler runs sends nothing`(transfer: Transfer) async throws {
        let client = client()
        let works = Recorder<@Sendable () -> Void>()
        let task = Task { try await perform(transfer, node(client).callbacks { works.record($0) }) }
        let start = try await works.waitForCount(1)

        #expect(client.manager.calls.running().count == 1)
        #expect(client.manager.calls.cancel(.all) == 1)
        start[0]()
        let end = try await works.waitForCount(2)
        end[1]()

        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(calls.elements == ["start", "cancel"])
        #expect(client.requests.isEmpty)
        #expect(client.manager.calls.running().isEmpty)
    }

    @Test(arguments: Transfer.allCases)
    func `a transfer is awaited until its last handler has returned, and is not listed meanwhile`(
        transfer: Transfer
    ) async throws {
        let client = client(["one"]) { $0.finish(throwing: RestClientError(.connectionClosed, "it is gone")) }
        let works = Recorder<@Sendable () -> Void>()
        let node = node(client)
            .callbacks { [calls] work in
                if calls.elements.isEmpty {
                    work()
                } else {
                    works.record(work)
                }
            }
        let reading = Task { try await perform(transfer, node) }
        let end = try await works.waitForCount(1)
        #expect(client.manager.calls.running().isEmpty)
        let finished = Recorder<Bool>()
        let asked = Recorder<Void>()
        let waiting = Task {
            await client.manager.calls
                .finished(
                    .matching { _ in
                        asked.record(())
                        return true
                    }
                )
            finished.record(calls.elements.count == 2)
        }
        _ = try await asked.waitForCount(1)

        end[0]()
        await #expect(throws: RestClientError.self) { try await reading.value }
        await waiting.value

        #expect(finished.elements == [true])
        #expect(calls.elements == ["start", "offline RestClientError"])
    }

    @Test
    func `a stream reports its progress to the node's handlers`() async throws {
        let client = client(["one", "three"]) { $0.finish() }
        let reports = Recorder<CallProgress>()

        for try await _ in try await node(client).onProgress({ reports.record($0) }).stream().bytes {}

        #expect(reports.elements.last?.direction == .received)
        #expect(reports.elements.last?.transfer.completed == 8)
        #expect(calls.elements == ["start"])
    }

    @Test
    func `feeds call no handlers`() async throws {
        let client = client(["data: one\n\n"]) { $0.finish(throwing: RestClientError(.connectionClosed, "it is gone")) }

        for try await event in node(client).serverSentEvents() {
            #expect(event.data == "one")
            break
        }

        #expect(calls.elements.isEmpty)
    }

    // MARK: - Release

    enum Consumer: Sendable, CaseIterable {
        case stream, download, events
    }

    enum Failure: Sendable, CaseIterable {
        case notFound, refused, noDummy, interceptor, body
        /// The task is cancelled, or the call among the running ones.
        case cancelled, dismissed

        var isCancellation: Bool { self == .cancelled || self == .dismissed }
    }

    /// Throws an error that keeps the request, and with it the call.
    private struct Keeping: Interceptor {
        struct Reason: Error {
            let request: OutgoingRequest
        }

        func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
            throw RestClientError(.connectionFailed, "it is refused", underlying: Reason(request: request))
        }
    }

    private func failing(_ failure: Failure) -> StubbedClient {
        let gate = Gate()
        return switch failure {
        case .notFound, .noDummy, .interceptor: client(.notFound)
        case .refused: client(.offline)
        case .body: client(["data: one\n\n"]) { $0.finish(throwing: RestClientError(.connectionClosed, "it is gone")) }
        case .cancelled, .dismissed:
            StubbedClient(
                StubTransport { _ in
                    try await gate.wait()
                    return .text("content")
                }
            )
        }
    }

    private func consume(_ consumer: Consumer, _ node: RequestNode<String>) async throws {
        switch consumer {
        case .stream: try await perform(.stream, node)
        case .download: try await perform(.download, node)
        case .events: for try await _ in node.serverSentEvents(.once) {}
        }
    }

    /// Lets a transfer fail, whose option and handlers hold a load.
    private func fail(
        _ consumer: Consumer,
        _ failure: Failure,
        _ client: StubbedClient,
        _ load: ReleaseWatch
    ) async throws {
        var node = node(client).option(CallOptionKey<ReleaseWatch>("load"), load)
            .onStart { [calls] in withExtendedLifetime(load) { calls.record("start") } }
            .onProgress { _ in withExtendedLifetime(load) {} }
        switch failure {
        case .noDummy: node = node.dummies(.strict)
        case .interceptor: node = node.interceptors(Keeping())
        default: break
        }
        let sent = node
        let transfer = Task { try await consume(consumer, sent) }
        if failure.isCancellation {
            try await client.transport.waitForRequests(count: 1)
        }
        switch failure {
        case .cancelled: transfer.cancel()
        case .dismissed: #expect(client.manager.calls.cancel(.all) == 1)
        default: break
        }
        await #expect(throws: (any Error).self) { try await transfer.value }
        await client.manager.calls.finished()
    }

    @Test(arguments: Consumer.allCases, Failure.allCases)
    func `a transfer that failed is released, with its options`(consumer: Consumer, failure: Failure) async throws {
        let client = failing(failure)
        let released = Gate()

        try await fail(consumer, failure, client, ReleaseWatch(released))

        try await released.wait()
        // The transport keeps what it was given.
        #expect(client.requests.count == (failure == .noDummy || failure == .interceptor ? 0 : 1))
        #expect(calls.elements.count == (consumer == .events ? 0 : 2))
    }

    @Test
    func `steps that failed are released, with their options`() async throws {
        let (gate, released) = (Gate(), Gate())
        let client = StubbedClient(
            StubTransport { _ in
                try await gate.wait()
                throw RestClientError(.connectionFailed, "it is refused")
            }
        )
        do {
            let node = node(client).option(CallOptionKey<ReleaseWatch>("load"), ReleaseWatch(released))
            let reading = Task { for try await _ in node.steps() {} }
            // The reader waits by now: the stream of the steps keeps an error for a reader that comes later.
            try await gate.waitForWaiters(count: 1)
            gate.open()
            await #expect(throws: RestClientError.self) { try await reading.value }
        }

        // The task that sent the call may end after its reader.
        try await released.wait()
        #expect(client.requests.count == 1)
    }
}
