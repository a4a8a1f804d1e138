// SPDX-License-Identifier: MIT

#if os(Linux) && !URLSessionTransport
import Foundation
import TestSupport
import Testing

/// The libraries that a program on this one links.
@Suite(.timeLimit(.minutes(5)))
struct LinkageTests {
    /// The smallest program there is, which stands beside the bundle of the tests.
    private static func probe() throws -> URL {
        let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        let folders = [bundle.deletingLastPathComponent(), Bundle.main.bundleURL]
        let candidates = folders.map { $0.appendingPathComponent("LinkProbe") }
        return try #require(candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) })
    }

    /// Runs a program to its end, and gives what it prints.
    private static func output(of program: String, _ arguments: [String]) async throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardOutput = pipe
        let ended = Gate()
        process.terminationHandler = { _ in ended.open() }
        try process.run()
        let bytes = try pipe.fileHandleForReading.readToEnd() ?? Data()
        try await ended.wait()
        #expect(process.terminationStatus == 0)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test
    func `neither libFoundation nor FoundationNetworking is linked`() async throws {
        let libraries = try await Self.output(of: "/usr/bin/ldd", [try Self.probe().path])
            .split(separator: "\n")
            .compactMap { $0.split(whereSeparator: \.isWhitespace).first.map(String.init) }
        #expect(libraries.contains("libswiftCore.so"))
        #expect(libraries.contains("libFoundationEssentials.so"))
        #expect(libraries.filter { $0.hasPrefix("libFoundation") } == ["libFoundationEssentials.so"])
        #expect(!libraries.contains { $0.hasPrefix("lib_FoundationICU") || $0.hasPrefix("libcurl") })
    }

    @Test
    func `the program that is looked at does its work`() async throws {
        let output = try await Self.output(of: try Self.probe().path, [])
        #expect(output == "42\n")
    }
}
#endif
