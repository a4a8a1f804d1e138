// SPDX-License-Identifier: MIT

import Foundation
import RestClient
import TestSupport
import Testing

/// Processes whose bodies are longer than the memory that they may take.
@Suite(
    .serialized,
    .timeLimit(.minutes(5)),
    .enabled(if: CrashingProcess.executable != nil, "the helper was not built")
)
struct FlatMemoryTests {
    /// The length of a chunk; 1,024 of them are 64 MiB.
    private static let chunk = [UInt8](repeating: 7, count: 64 << 10)

    @Test(arguments: ["down", "file", "up", "chunks", "upload"])
    func `a process that streams 64 MiB grows by less than 32 MiB`(kind: String) async throws {
        let directory = try TemporaryDirectory()
        try await LoopbackServer.with(.http1) { server in
            for (path, count) in [("/small", 4), ("/large", 1_024)] as [(PathTemplate, Int)] {
                server.on(.get, path) { _ in
                    .stream { writer in
                        for _ in 0..<count {
                            try await writer.write(Self.chunk)
                        }
                    }
                }
                server.on(.put, path) { request in .status(request.body.count == count << 16 ? 204 : 400) }
            }
            let process = try CrashingProcess("stream", directory.url.path, server.url, kind)
            let growth = await process.end()
            #expect((0..<32).contains(growth), "grew by \(growth) MiB")
        }
    }
}
