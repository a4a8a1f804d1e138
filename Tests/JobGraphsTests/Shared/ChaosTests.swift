// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Processes that are killed and stopped, on one file: a few seconds of `Scripts/chaos`.
@Suite(.timeLimit(.minutes(5)), .enabled(if: ChaosProgram.executable != nil, "RunChaos was not built"))
struct ChaosTests {
    @Test
    func `nothing acknowledged is lost, and no unsafe work is done twice`() async throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = ChaosProgram.executable
        process.arguments = ["--runs", "250", "--seconds", "120"]
        process.standardOutput = output
        let end = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                continuation.resume(throwing: error)
            }
        }
        let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        #expect(end == 0, "\(text)")
    }
}

private enum ChaosProgram {
    /// The executable, which lies beside the tests; `nil` when it was not built.
    static let executable: URL? = {
        let candidates = CommandLine.arguments.prefix(1) + ProcessInfo.processInfo.arguments
        let folders = candidates.map { URL(filePath: $0).resolvingSymlinksInPath().deletingLastPathComponent() }
        let around = folders.flatMap { [$0, $0.deletingLastPathComponent().deletingLastPathComponent()] }
        // On Apple platforms the tests are a bundle within the folder of the products.
        let bundles = around + around.map { $0.deletingLastPathComponent() }
        return bundles.map { $0.appending(path: "RunChaos") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }()
}
