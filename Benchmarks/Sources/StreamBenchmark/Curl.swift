// SPDX-License-Identifier: MIT

import Foundation

/// The contenders that curl is, one process for each transfer; none if it is not installed.
struct Curl: Sendable {
    private let path: String?

    init() {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        path = folders.map { "\($0)/curl" }.first(where: FileManager.default.isExecutableFile(atPath:))
    }

    /// Returns a contender that starts curl with the arguments for so many bytes.
    func contenders(_ arguments: @escaping @Sendable (_ count: Int) throws -> [String]) -> [Contender] {
        contenders { path, count in (path, Self.options + (try arguments(count))) }
    }

    /// Returns a contender that sends a stream.
    func uploads(to url: String) -> [Contender] {
        contenders { path, count in
            let words = [path] + Self.options + ["--upload-file", "-", url]
            let command = words.map { "'\($0)'" }.joined(separator: " ")
            return ("/bin/sh", ["-c", "head -c \(count) /dev/zero | \(command)"])
        }
    }

    /// It would wait a second for the consent of a server that sends none.
    private static let options = ["--silent", "--fail", "--header", "Expect:"]

    private func contenders(
        _ command: @escaping @Sendable (_ path: String, _ count: Int) throws -> (String, [String])
    ) -> [Contender] {
        path.map { path in
            [
                Contender(name: "curl", isProcess: true) { count in
                    let (program, arguments) = try command(path, count)
                    try await Self.run(program, arguments)
                }
            ]
        } ?? []
    }

    private static func run(_ program: String, _ arguments: [String]) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                continuation.resume(throwing: error)
            }
        }
        precondition(status == 0, "\(program) \(arguments) failed")
    }
}
