// SPDX-License-Identifier: MIT

import Foundation

/// The server process of the benchmark; it ends when this value is released.
public final class ServerProcess {
    /// Where it is reached.
    public let address: String
    private let process = Process()
    private let input = Pipe()

    /// Starts a server, unless the address of one that runs already is given.
    public init(address: String? = nil) throws {
        if let address {
            self.address = address
            return
        }
        let output = Pipe()
        let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        process.executableURL = folder.appendingPathComponent("BenchmarkServer")
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        self.address = "http://127.0.0.1:\(port)"
    }

    deinit {
        input.fileHandleForWriting.closeFile()
        if process.isRunning {
            process.waitUntilExit()
        }
    }
}
