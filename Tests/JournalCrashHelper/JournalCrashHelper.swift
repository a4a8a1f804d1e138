// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient
import RestEssentials

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The process that the crash tests of the run journal kill: it runs a graph with a journal, again and again the same
/// one.
///
/// Its arguments are the directory, the server's address, and what it does: `fail` and `repeat` are the policies for
/// unsafe requests, with `undo-` before them for a graph that is taken back. Its status is 0 when the run succeeded, 3
/// when the outcome of an unsafe request was unknown, 4 when another process uses the journal, and 5 when all was taken
/// back. With `cache` before them it is a ``CacheCaller`` instead, with `rate` a ``RateCaller``, with `stream` a
/// ``StreamCaller``; with `locale` alone a ``LocaleCheck``.
@main
struct JournalCrashHelper {
    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments.count == 5, arguments[1] == "cache" {
            try await CacheCaller(directory: arguments[2], server: arguments[3], lease: arguments[4]).call()
            exit(0)
        }
        if arguments.count == 5, arguments[1] == "rate" {
            try await RateCaller(directory: arguments[2], server: arguments[3], count: arguments[4]).call()
            exit(0)
        }
        if arguments.count == 5, arguments[1] == "stream" {
            exit(try await StreamCaller(directory: arguments[2], server: arguments[3], kind: arguments[4]).call())
        }
        if arguments.count == 2, arguments[1] == "locale" {
            exit(try await LocaleCheck.status())
        }
        guard arguments.count == 4 else {
            exit(2)
        }
        let manager = RestClientManager()
        try manager.persist(in: URL(filePath: arguments[1]))
        manager.servers["effects"] = Server(arguments[2])
        manager.defaultServer = "effects"
        let policy: UnknownOutcome = arguments[3].hasSuffix("repeat") ? .repeatWithSameKey : .fail
        let graph = arguments[3].hasPrefix("undo") ? takenBack : graph
        do {
            let run = try await manager.run(graph, journal: RunJournal("crash", unknownOutcome: policy))
            exit(status(of: run))
        } catch let error as JobGraphError where error.code == .journalInUse {
            exit(4)
        }
    }

    private static func status(of run: GraphRun) -> Int32 {
        if run.isSuccess {
            return 0
        }
        let errors = run.nodes.map(\.error) + run.compensations.map(\.outcome.error)
        if errors.contains(where: { ($0 as? JobGraphError)?.code == .unknownOutcome }) {
            return 3
        }
        return run.compensations.isEmpty || run.compensations.contains { !$0.outcome.isSuccess } ? 1 : 5
    }

    /// Two lines of calls that take turns between safe and unsafe ones, and meet in the end.
    private static var graph: JobGraph {
        var graph = JobGraph("crash")
        var ends: [JobHandle<String>] = []
        for line in ["a", "b"] {
            var last = graph.input("\(line)-start", "start")
            for step in 0..<6 {
                last = graph.request("\(line)\(step)", after: last) { _ in
                    effect("\(line)\(step)", step.isMultiple(of: 2) ? .post : .get)
                }
            }
            ends.append(last)
        }
        graph.request("end", after: ends[0], ends[1]) { _, _ in effect("end", .put) }
        return graph
    }

    /// Unsafe calls one after the other, each of which can be taken back, before one that the server refuses.
    private static var takenBack: JobGraph {
        var graph = JobGraph("saga")
        var last = graph.input("start", "start")
        for step in 0..<4 {
            last = graph.request("do\(step)", after: last) { _ in effect("do\(step)", .post) }
            graph.undo("undo\(step)", of: last) { _ in effect("undo\(step)", .post) }
        }
        graph.request("last", after: last) { _ in effect("last", .get) }
        return graph
    }

    private static func effect(_ name: String, _ method: HTTPRequest.Method) -> RequestNode<String> {
        RequestNode(String.self).endpoint("/effects/{name}").parameter("name", name).method(method)
    }
}
