// SPDX-License-Identifier: MIT

import Foundation
import TestSupport

/// The executable `Simulation` as a process of its own.
enum SimulationProgram {
    /// The executable, which lies beside the tests; `nil` when it was not built.
    static let executable: URL? = CrashingProcess.executable
        .map { $0.deletingLastPathComponent().appending(path: "Simulation") }
        .flatMap { FileManager.default.isExecutableFile(atPath: $0.path) ? $0 : nil }

    /// Runs it to its end; returns its status, and what it printed.
    static func run(_ arguments: String...) async throws -> (status: Int32, output: String) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = executable
        process.arguments = arguments
        process.standardOutput = pipe
        let ended = Gate()
        process.terminationHandler = { _ in ended.open() }
        try process.run()
        let bytes = try pipe.fileHandleForReading.readToEnd() ?? Data()
        try await ended.wait()
        return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
    }
}
