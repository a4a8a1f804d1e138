// SPDX-License-Identifier: MIT

import Foundation
import Synchronization
import TestSupport

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The system's `kill`, under a name of its own.
private let sendSignal: @Sendable (Int32, Int32) -> Int32 = { kill($0, $1) }

/// The executable `JournalCrashHelper` as a process of its own.
final class CrashingProcess: Sendable {
    /// The executable, which lies beside the tests; `nil` when it was not built.
    static let executable: URL? = {
        let candidates = CommandLine.arguments.prefix(1) + ProcessInfo.processInfo.arguments
        let folders = candidates.map { URL(filePath: $0).resolvingSymlinksInPath().deletingLastPathComponent() }
        let around = folders.flatMap { [$0, $0.deletingLastPathComponent().deletingLastPathComponent()] }
        // On Apple platforms the tests are a bundle within the folder of the products.
        let bundles = around + around.map { $0.deletingLastPathComponent() }
        return bundles.map { $0.appending(path: "JournalCrashHelper") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }()

    private let process: Mutex<Process>
    private let status = Recorder<Int32>()

    /// Starts a process.
    ///
    /// - Parameters:
    ///   - arguments: Its arguments.
    ///   - executable: The program; the helper by default.
    ///   - environment: Variables in addition to those of this process.
    /// - Throws: The error of the system if the program cannot be started.
    init(
        _ arguments: String...,
        executable: URL? = CrashingProcess.executable,
        environment: [String: String] = [:]
    ) throws {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.terminationHandler = { [status] process in
            status.record(process.terminationReason == .exit ? process.terminationStatus : -1)
        }
        try process.run()
        self.process = Mutex(process)
    }

    /// Kills the process as `kill -9` does.
    func kill() {
        process.withLock { process in
            if process.isRunning {
                _ = sendSignal(process.processIdentifier, SIGKILL)
            }
        }
    }

    /// Waits for its end; -1 when it was killed.
    func end() async -> Int32 {
        (try? await status.waitForCount(1).first) ?? -1
    }
}
