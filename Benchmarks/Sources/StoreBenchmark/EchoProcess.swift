// SPDX-License-Identifier: MIT

import Foundation
import SharedStore
import Synchronization

/// Another process that echoes bytes over a pipe, and changes of shared data.
final class EchoProcess: Sendable {
    static let question = SharedKey<Int>("question")
    static let answer = SharedKey<Int>("answer")

    private let process: Mutex<Process>
    private let input: Int32
    private let output: Int32

    /// Starts this program again in its other role.
    init(file: URL) throws {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = ["--echo", file.path]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        self.input = dup(input.fileHandleForWriting.fileDescriptor)
        self.output = dup(output.fileHandleForReading.fileDescriptor)
        self.process = Mutex(process)
        // Its first byte says that it watches.
        var byte: UInt8 = 0
        guard read(self.output, &byte, 1) == 1 else {
            throw CocoaError(.fileReadUnknown)
        }
    }

    deinit {
        close(input)
        close(output)
        // It may block other signals, as the thread that started it does.
        process.withLock { process in
            _ = kill(process.processIdentifier, SIGKILL)
        }
    }

    /// Sends a byte and waits for it to come back.
    func exchangeByte() {
        var byte: UInt8 = 1
        let isBack = write(input, &byte, 1) == 1 && read(output, &byte, 1) == 1
        expect(isBack)
    }

    /// The other role: echoes until its standard input ends.
    static func answer(file: URL) throws {
        let data = try SharedData(file: file, configuration: quick)
        let token = data.observe(question) { change in
            guard let number = change.newValue else {
                return
            }
            try? data.set(number, for: answer)
        }
        var byte: UInt8 = 0
        guard write(STDOUT_FILENO, &byte, 1) == 1 else {
            return
        }
        while read(STDIN_FILENO, &byte, 1) == 1, write(STDOUT_FILENO, &byte, 1) == 1 {}
        token.cancel()
    }

    /// Without waiting for the disk, which has nothing to do with how fast a change is heard of.
    static var quick: SharedData.Configuration {
        var configuration = SharedData.Configuration()
        configuration.durability = .processDeath
        return configuration
    }
}
