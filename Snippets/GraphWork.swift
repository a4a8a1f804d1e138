// SPDX-License-Identifier: MIT

// snippet.hide
import Foundation
import JobGraphs

struct Report: Codable { let lines: Int }

func listSources() throws -> [String] { ["main.swift", "list.swift"] }
func compile(_ source: String) async throws -> String { source + ".o" }
func link(_ objects: [String]) async throws -> String { objects.joined(separator: "+") }
func count(_ sources: [String]) -> Report { Report(lines: sources.count) }

let folder = FileManager.default.temporaryDirectory.appending(path: "GraphWork-\(UUID().uuidString)")
defer { try? FileManager.default.removeItem(at: folder) }

func build() async throws {
    // snippet.show
    let runtime = JobRuntime(workerCount: 8, directory: folder)

    var graph = JobGraph("build")
    let sources = graph.input("sources", try listSources())
    let objects = graph.forEach("compile", in: sources, limit: 4, options: [.retry(2)]) { source in
        try await compile(source)
    }
    let program = graph.local("link", after: objects) { objects in try await link(objects) }
    graph.local("summary", after: sources, program) { sources, program in count(sources) }

    let run = try await runtime.run(graph, options: [.timeout(.seconds(60))])
    print(try run[program])
    // snippet.hide
    _ = (graph.mermaid, run)
    try await resume(graph, runtime, objects)
}

func resume(_ graph: JobGraph, _ runtime: JobRuntime, _ objects: JobHandle<[String]>) async throws {
    // snippet.show

    // Each result is stored as soon as it is available. After a crash, the run compiles only what is missing.
    let execution = try await runtime.start(graph, journal: "build-2026-11-28")
    for await progress in execution.progress {
        print(progress)  // 12 of 40 nodes, 3 running, 310 of 1000 elements
    }
    let resumed = await execution.finished()
    try resumed.check()

    // Earlier runs that did not succeed.
    for left in try await runtime.journals.list() where left.status != .succeeded {
        print(left.name, left.status, left.finishedNodes, left.unknownNodes)
    }
    // Repeats everything from the objects on, as a separate run.
    try await runtime.journals.fork("build-2026-11-28", as: "again", of: graph, from: objects)
    try await runtime.journals.drop("again")
    // snippet.hide
}

try await build()
