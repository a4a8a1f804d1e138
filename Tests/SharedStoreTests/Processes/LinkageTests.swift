// SPDX-License-Identifier: MIT

#if os(Linux)
import Foundation
import Testing

@Suite(.enabled(if: HelperProcess.executable != nil, "SharedStoreCrashHelper was not built"))
struct LinkageTests {
    @Test
    func `a program that uses the library links no libFoundation`() throws {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["ldd", try #require(HelperProcess.executable).path]
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()

        #expect(output.contains("libFoundationEssentials.so"))
        #expect(output.contains("libsqlite3.so"))
        for library in ["libFoundation.so", "libFoundationInternationalization", "libFoundationNetworking", "ICU"] {
            #expect(!output.contains(library))
        }
    }
}
#endif
