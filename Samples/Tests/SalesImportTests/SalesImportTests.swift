// SPDX-License-Identifier: MIT

import ConcurrencyTesting
import Foundation
import JobGraphs
import SalesImport
import Testing

@Suite(.timeLimit(.minutes(5)))
final class SalesImportTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "SalesImport-\(UUID().uuidString)")
    private let read = Recorder<String>()

    init() throws {
        try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
        try write("apple,2,50\npear,1,70\n", to: "a.csv")
        try write("apple,1,50\n", to: "b.csv")
        try write("plum,4,10\n", to: "c.csv")
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    private var source: URL { folder.appending(path: "in") }
    private var output: URL { folder.appending(path: "out") }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: source.appending(path: name))
    }

    /// The import of a program that is started again.
    private func sales() -> SalesImport {
        SalesImport(from: source, to: output) { [read] file in read.record(file.name) }
    }

    private func totals() throws -> [String: Int] {
        try JSONDecoder().decode(Totals.self, from: Data(contentsOf: output.appending(path: "totals.json"))).cents
    }

    @Test
    func `the totals cover every file, and the report shows each`() async throws {
        let run = try await sales().run()

        try run.check()
        #expect(try totals() == ["apple": 150, "pear": 70, "plum": 40])
        let page = try String(contentsOf: output.appending(path: "report.html"), encoding: .utf8)
        #expect(page.contains("totals"))
        #expect(run.report.nodes.first { $0.name == "read" }?.children.count == 3)
    }

    @Test
    func `a wrong line fails the import and names its place, and only its file is read again`() async throws {
        try write("plum,four,10\n", to: "c.csv")
        let failed = try await sales().run()

        #expect(failed.node("read")?.error as? InvalidLine == InvalidLine(file: "c.csv", number: 1))
        #expect(failed.description.contains("c.csv:1: expected 'article,quantity,cents'"))
        #expect(failed.node("write")?.status == .skipped)
        #expect(!FileManager.default.fileExists(atPath: output.appending(path: "totals.json").path))

        try write("plum,5,10\n", to: "c.csv")
        read.removeAll()
        try await sales().run().check()
        #expect(read.elements == ["c.csv"])
        #expect(try totals()["plum"] == 50)
    }

    @Test
    func `an import that was killed resumes with the files that it had not read`() async throws {
        let killed = try await start("--kill-after", "2")
        #expect(killed.status == SIGKILL)

        let resumed = try await start()
        #expect(resumed.status == 0)
        let earlier = try #require(resumed.output.firstMatch(of: /(\d) of 3 files were read by an earlier run/))
        let again = resumed.output.split(separator: "\n").count { $0.hasPrefix("reading ") }
        #expect(again == 3 - (Int(earlier.output.1) ?? 0))
        #expect(again >= 1)
        #expect(try totals() == ["apple": 150, "pear": 70, "plum": 40])
    }

    /// Runs the program beside the bundle of the tests to its end.
    private func start(_ options: String...) async throws -> (status: Int32, output: String) {
        let bundle = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        let folders = [bundle.deletingLastPathComponent(), Bundle.main.bundleURL]
        let candidates = folders.map { $0.appending(path: "FolderImport") }
        let program = try #require(candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) })
        let process = Process()
        process.executableURL = program
        process.arguments = [source.path, output.path] + options
        let (pipe, ended) = (Pipe(), Gate())
        process.standardOutput = pipe
        process.terminationHandler = { _ in ended.open() }
        try process.run()
        let bytes = try pipe.fileHandleForReading.readToEnd() ?? Data()
        try await ended.wait()
        return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
    }
}
