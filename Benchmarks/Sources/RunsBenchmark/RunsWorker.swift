// SPDX-License-Identifier: MIT

import Foundation
import JobGraphs

#if canImport(Glibc)
import Glibc
#endif

/// A process that works runs until it is killed, and the graphs that it offers.
struct RunsWorker {
    private let folder: URL
    private let limit: Int
    private let runtime: JobRuntime

    init(_ folder: URL, limit: Int) {
        self.folder = folder
        self.limit = limit
        runtime = JobRuntime(workerCount: 0, directory: folder.appending(path: "journal"))
    }

    func work() async throws {
        try await runtime.worker(limit: limit)
            .offering(Self.graph(nodes: 1, in: folder))
            .offering(Self.graph(nodes: 5, in: folder))
            .offering(Self.holding(isHolder: true, in: folder))
            .run()
    }

    /// A chain of nodes that do nothing, but for the last one, which adds a byte to a file.
    static func graph(nodes: Int, in folder: URL) -> DurableGraph<Int> {
        let marks = Marks("ended", in: folder)
        return DurableGraph("\(nodes) nodes") { number in
            var graph = JobGraph("\(nodes) nodes")
            var last = graph.local("node 1") {
                if nodes == 1 {
                    marks.add()
                }
                return number
            }
            for node in stride(from: 2, through: nodes, by: 1) {
                last = graph.local("node \(node)", after: last) { number in
                    if node == nodes {
                        marks.add()
                    }
                    return number
                }
            }
            return graph
        }
    }

    /// A node that never ends in a process that is to be killed, and adds a byte to a file in one that takes over.
    static func holding(isHolder: Bool, in folder: URL) -> DurableGraph<Int> {
        let marks = Marks(isHolder ? "held" : "taken", in: folder)
        return DurableGraph("held") { _ in
            var graph = JobGraph("held")
            graph.local("node") {
                marks.add()
                if isHolder {
                    try await Task.sleep(for: .seconds(3_600))
                }
            }
            return graph
        }
    }
}

/// A file to which processes add bytes.
struct Marks: Sendable {
    private let descriptor: Int32
    private let path: String

    init(_ name: String, in folder: URL) {
        path = folder.appending(path: name).path
        descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT, 0o600)
    }

    func add() {
        _ = write(descriptor, "x", 1)
    }

    /// Waits until the file has so many bytes.
    func wait(for count: Int) async throws {
        var status = stat()
        while stat(path, &status) != 0 || status.st_size < count {
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}
