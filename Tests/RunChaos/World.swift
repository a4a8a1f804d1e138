// SPDX-License-Identifier: MIT

import Foundation
import JobGraphs
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The effects outside of the store: lines of one file, in their order, which a killed process cannot take back.
final class World: Sendable {
    struct Event: Codable {
        enum Kind: String, Codable {
            /// Unsafe work was done.
            case effect
            /// The result of a node was stored, and somebody was told.
            case stored
        }

        var kind: Kind
        var run: String
        var node: String
        var key: String?
        var process: String
    }

    private let descriptor: Int32
    private let file: URL

    init(_ folder: URL) {
        file = folder.appending(path: "world")
        descriptor = unsafe open(file.path, O_WRONLY | O_APPEND | O_CREAT, 0o600)
    }

    func add(_ event: Event) {
        guard var line = try? JSONEncoder().encode(event) else {
            return
        }
        line.append(10)
        // One call, so that lines of several processes do not mix.
        _ = unsafe line.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    }

    func events() throws -> [Event] {
        try Data(contentsOf: file).split(separator: 10).map { try JSONDecoder().decode(Event.self, from: $0) }
    }
}

enum RealTime {
    static func pass(_ duration: Duration) async throws {
        let clock = ContinuousClock()
        try await clock.sleep(for: duration)
    }
}
