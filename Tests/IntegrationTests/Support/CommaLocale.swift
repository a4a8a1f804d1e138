// SPDX-License-Identifier: MIT

import Foundation
import TestSupport

/// A locale whose numbers have a decimal comma, for another process: that of the system, or one made for a test, as
/// servers often have none.
struct CommaLocale {
    private static let compiler = URL(filePath: "/usr/bin/localedef")

    /// True if the system has such a locale, or a program to make one.
    static var isAvailable: Bool {
        #if canImport(Darwin)
        true
        #else
        FileManager.default.isExecutableFile(atPath: compiler.path)
        #endif
    }

    /// The variables of a process under the locale.
    let environment: [String: String]

    private let directory: TemporaryDirectory

    init() async throws {
        directory = try TemporaryDirectory()
        #if canImport(Darwin)
        environment = ["LC_ALL": "de_DE.UTF-8"]
        #else
        let source = directory.path("comma")
        try Data("LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3\nEND LC_NUMERIC\n".utf8)
            .write(to: source)
        // It reports that the other categories are missing, and makes them all the same.
        let compilation = try CrashingProcess(
            "-c",
            "--quiet",
            "--no-archive",
            "-i",
            source.path,
            directory.path("de_DE").path,
            executable: Self.compiler
        )
        _ = await compilation.end()
        environment = ["LC_ALL": "de_DE", "LOCPATH": directory.url.path]
        #endif
    }
}
