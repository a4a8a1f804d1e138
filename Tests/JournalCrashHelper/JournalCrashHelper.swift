// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The process that the crash test of the run journal kills: it runs a graph with a journal, again and again the same one.
///
/// Its arguments are the directory, the server's address and the policy for unsafe requests; its status is 0 when the run
/// succeeded, and 3 when it stopped because the outcome of an unsafe request was unknown. With `cache` before them it is a
/// ``CacheCaller`` instead.
@main
struct JournalCrashHelper {
    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments.count == 5, arguments[1] == "cache" {
            try await CacheCaller(directory: arguments[2], server: arguments[3], lease: arguments[4]).call()
            exit(0)
        }
        guard arguments.count == 4 else {
            exit(2)
        }
        let manager = RestClientManager()
        try manager.standby(at: URL(filePath: arguments[1]))
        manager.servers["effects"] = Server(arguments[2])
        manager.defaultServerKey = "effects"
        let policy: UnknownOutcome = arguments[3] == "repeat" ? .repeatWithSameKey : .fail
        let run = try await manager.run(graph, journal: RunJournal("crash", unknownOutcome: policy))
        if run.isSuccess {
            exit(0)
        }
        let errors = run.nodes.compactMap { $0.error as? RestClientError }
        exit(errors.contains { $0.code == .unknownOutcome } ? 3 : 1)
    }

    /// Two lines of calls that take turns between safe and unsafe ones, and meet in the end.
    private static var graph: JobGraph {
        var graph = JobGraph("crash")
        var ends: [JobHandle<String>] = []
        for line in ["a", "b"] {
            var last = graph.input("\(line)-start", "start")
            for step in 0..<6 {
                let name = "\(line)\(step)"
                last = graph.request(name, after: last) { _ in
                    RequestNode(String.self).endpoint("/effects/{name}").parameter("name", name)
                        .method(step.isMultiple(of: 2) ? .post : .get)
                }
            }
            ends.append(last)
        }
        graph.request("end", after: ends[0], ends[1]) { _, _ in
            RequestNode(String.self).endpoint("/effects/end").method(.put)
        }
        return graph
    }
}
