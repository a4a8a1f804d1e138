// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SharedStore
import Synchronization
import TestSupport

@testable import JobGraphs
@testable import RestClient

/// A server that outlives its clients, and the directory of a program that is begun again and again.
final class JournalHost: Sendable {
    typealias Answer = @Sendable (_ name: String) async throws -> RawResponse

    /// The requests that reached the server.
    let requests = Recorder<TransportRequest>()
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("journal-\(UUID().uuidString)")
    private let answer: Mutex<Answer>

    /// Makes a server; it responds with the last part of the path unless the test says otherwise.
    init(_ answer: @escaping Answer = { .text($0) }) {
        self.answer = Mutex(answer)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Lets the server respond in another way from then on.
    func answers(_ answer: @escaping Answer) {
        self.answer.withLock { $0 = answer }
    }

    /// The program, started again.
    func process(configure: (inout RestClientManager.Configuration) -> Void = { _ in }) throws -> RestClientManager {
        let transport = StubTransport { request in
            self.requests.record(request)
            return try await self.answer.withLock { $0 }(request.name)
        }
        let manager = StubbedClient(transport, configure: configure).manager
        try manager.persist(in: folder)
        return manager
    }

    /// The same server and program, had its process been killed this moment: only what was on the disk is there.
    func killed() throws -> JournalHost {
        let host = JournalHost(answer.withLock { $0 })
        try FileManager.default.createDirectory(at: host.folder, withIntermediateDirectories: true)
        for file in ["journal.sqlite", "journal.sqlite-wal"] {
            try FileManager.default.copyItem(
                at: folder.appendingPathComponent(file),
                to: host.folder.appendingPathComponent(file)
            )
        }
        return host
    }

    /// The requests in order: the last parts of their paths.
    var names: [String] { requests.elements.map(\.name) }

    /// The keys of the requests, in order.
    func keys(of name: String) -> [String?] {
        let field = HTTPField.Name("Idempotency-Key")
        return requests.elements.filter { $0.name == name }.map { request in field.flatMap { request.headers[$0] } }
    }

    /// The rows of the journals.
    func rows() throws -> SQLiteBacking {
        try SQLiteBacking(file: folder.appendingPathComponent("journal.sqlite").path, kind: .journal)
    }

    /// Two calls in sequence, a concurrent one, and a step that fails until it is repaired.
    static func graph(isMended: Bool, input: Int = 1) -> JobGraph {
        var graph = JobGraph("graph")
        let number = graph.input("number", input)
        let first = graph.request("first", after: number) { node("first-\($0)") }
        let second = graph.request("second", after: first) { node("second-\($0)") }
        graph.request("beside") { node("beside") }
        graph.local("last", after: second) { text throws -> Int in
            guard isMended else {
                throw StepFailed()
            }
            return text.count
        }
        return graph
    }

    /// The code of the error that work throws; `nil` when it throws none of the library's.
    static func code(of work: () async throws -> Void) async -> JobGraphError.Code? {
        do {
            try await work()
            return nil
        } catch {
            return (error as? JobGraphError)?.code
        }
    }

    /// A request whose response is its own name.
    static func node(_ name: String, _ method: HTTPRequest.Method = .get) -> RequestNode<String> {
        RequestNode(String.self).endpoint("/{name}").parameter("name", name).method(method)
    }
}

extension TransportRequest {
    /// The last part of the path.
    fileprivate var name: String { url.split(separator: "/").last.map(String.init) ?? "" }
}

/// The error of a step until it is mended.
struct StepFailed: Error, Equatable {}
