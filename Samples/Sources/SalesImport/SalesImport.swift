// SPDX-License-Identifier: MIT

public import Foundation
public import JobGraphs
import RestClientReports

/// Imports a folder of CSV files, `article,quantity,cents` a line, and writes `totals.json` and `report.html`.
///
/// The import is a run with a journal: when its process is killed, or when a file was wrong, the next one reads only
/// the files that it has not read yet, and those that have changed.
public struct SalesImport: Sendable {
    private let source: URL
    private let output: URL
    private let runtime: JobRuntime
    private let willRead: @Sendable (SourceFile) async throws -> Void

    /// Creates an import.
    ///
    /// - Parameters:
    ///   - source: The folder with the files.
    ///   - output: The folder for the results and the journal; it is created when it is missing.
    ///   - willRead: Called before each file is read; does nothing by default.
    public init(
        from source: URL,
        to output: URL,
        willRead: @escaping @Sendable (SourceFile) async throws -> Void = { _ in }
    ) {
        self.source = source
        self.output = output
        self.willRead = willRead
        runtime = JobRuntime(workerCount: 4, directory: output.appending(path: "journal"))
    }

    /// Runs the import, or resumes the previous one.
    ///
    /// - Returns: How each step ended. It has failed when a file has a line that is not a sale; the other files have
    ///   been read then.
    /// - Throws: An error when the folder of the files or the journal cannot be read.
    public func run() async throws -> GraphRun {
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        let run = try await runtime.run(
            graph(of: try files()),
            journal: RunJournal("sales import", afterSuccess: .restart)
        )
        try Data(run.report.html().utf8).write(to: output.appending(path: "report.html"), options: .atomic)
        return run
    }

    private func graph(of files: [SourceFile]) -> JobGraph {
        var graph = JobGraph("sales import")
        let files = graph.input("files", files)
        let sales = graph.forEach("read", in: files, onFailure: .continue, options: [.tags("csv")], label: \.name) {
            file in
            try await willRead(file)
            return try read(file)
        }
        let totals = graph.local("totals", after: sales) { sales in Totals(of: sales) }
        graph.local("write", after: totals, options: [.retry(3)]) { totals in try write(totals) }
        return graph
    }

    // MARK: - Steps

    private func files() throws -> [SourceFile] {
        try FileManager.default.contentsOfDirectory(at: source, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "csv" }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
            .map { SourceFile(name: $0.lastPathComponent, fingerprint: fingerprint(of: try Data(contentsOf: $0))) }
    }

    /// FNV-1a: it finds changes, and is the same in every process.
    private func fingerprint(of bytes: Data) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { hash, byte in (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    private func read(_ file: SourceFile) throws -> Sales {
        let text = try String(contentsOf: source.appending(path: file.name), encoding: .utf8)
        var cents: [String: Int] = [:]
        for (index, line) in text.split(separator: "\n").enumerated() {
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            guard fields.count == 3, let quantity = Int(fields[1]), let price = Int(fields[2]) else {
                throw InvalidLine(file: file.name, number: index + 1)
            }
            cents[String(fields[0]), default: 0] += quantity * price
        }
        return Sales(cents: cents)
    }

    private func write(_ totals: Totals) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        try encoder.encode(totals).write(to: output.appending(path: "totals.json"), options: .atomic)
    }
}
