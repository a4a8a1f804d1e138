// SPDX-License-Identifier: MIT

import Foundation
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The system's `kill`, under a name of its own.
private let sendSignal: @Sendable (Int32, Int32) -> Int32 = { kill($0, $1) }

/// Another process that works on a store's file: the executable `SharedStoreCrashHelper`.
final class HelperProcess: Sendable {
    /// The executable, which lies beside the tests; `nil` when it was not built.
    static let executable: URL? = {
        let candidates = CommandLine.arguments.prefix(1) + ProcessInfo.processInfo.arguments
        let folders = candidates.map { URL(filePath: $0).resolvingSymlinksInPath().deletingLastPathComponent() }
        let around = folders.flatMap { [$0, $0.deletingLastPathComponent().deletingLastPathComponent()] }
        // On Apple platforms the tests are a bundle within the folder of the products.
        let bundles = around + around.map { $0.deletingLastPathComponent() }
        return bundles.map { $0.appending(path: "SharedStoreCrashHelper") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }()

    private let process: Mutex<Process>
    private let output: FileHandle
    private let input: FileHandle
    private let rest = Mutex(Data())

    init(_ mode: String, _ file: URL, count: Int = 0) throws {
        let process = Process()
        let pipe = Pipe()
        let questions = Pipe()
        process.executableURL = Self.executable
        process.arguments = [mode, file.path, "\(count)"]
        process.standardOutput = pipe
        process.standardInput = questions
        try process.run()
        output = pipe.fileHandleForReading
        input = questions.fileHandleForWriting
        self.process = Mutex(process)
    }

    deinit {
        kill()
    }

    /// Sends the process an empty line.
    func ask() {
        input.write(Data([10]))
    }

    /// Blocks until the process has written a line; `nil` when it has ended.
    func line() -> String? {
        while true {
            let found = rest.withLock { rest -> String? in
                guard let end = rest.firstIndex(of: 10) else {
                    return nil
                }
                defer { rest = Data(rest[(end + 1)...]) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            if let found { return found }
            let data = output.availableData
            if data.isEmpty { return nil }
            rest.withLock { $0.append(data) }
        }
    }

    /// Every whole line that is still to come, once the process has ended.
    func remainingLines() -> [String] {
        var lines: [String] = []
        while let line = line() { lines.append(line) }
        return lines
    }

    /// Kills the process as `kill -9` does and waits for its end.
    func kill() {
        process.withLock { process in
            guard process.isRunning else {
                return
            }
            _ = sendSignal(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    /// Waits for the end and returns the status.
    func wait() -> Int32 {
        process.withLock { process in
            process.waitUntilExit()
            return process.terminationStatus
        }
    }
}
