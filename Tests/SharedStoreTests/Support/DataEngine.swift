// SPDX-License-Identifier: MIT

import Foundation
import SharedStore
import Synchronization
import Testing

/// The engine beneath shared data under test.
enum DataEngine: CaseIterable, CustomTestStringConvertible {
    case memory
    case file
    case attached

    var testDescription: String { "\(self)" }

    func make(
        in folder: TemporaryFolder,
        busyTimeout: Duration = .seconds(30),
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws -> SharedData {
        var configuration = SharedData.Configuration()
        configuration.busyTimeout = busyTimeout
        configuration.durability = .processDeath
        configuration.now = now
        switch self {
        case .memory: return SharedData(configuration: configuration)
        case .file: return try SharedData(file: folder.file(), configuration: configuration)
        case .attached:
            let data = SharedData(configuration: configuration)
            try data.attach(file: folder.file())
            return data
        }
    }
}

/// Every built-in codec, always with the same key.
enum CodecChoice: CaseIterable, CustomTestStringConvertible {
    case identity
    case gzip
    case sealed
    case gzipSealed

    static let key = SealingKey.generate()

    var testDescription: String { "\(self)" }

    var codec: StorageCodec {
        switch self {
        case .identity: .identity
        case .gzip: .gzip
        case .sealed: .sealed(Self.key)
        case .gzipSealed: .gzipSealed(Self.key)
        }
    }
}

struct Session: Codable, Sendable, Equatable {
    var user: String
    var token: Data
    var since: Date

    static let sample = Session(
        user: "ada",
        token: Data([0, 1, 255]),
        since: Date(timeIntervalSinceReferenceDate: 0.1 + 0.2)
    )
}

/// A value that refuses to be encoded on demand.
struct Stubborn: Codable, Sendable, Equatable {
    struct Refusal: Error {}

    var fails: Bool

    func encode(to encoder: any Encoder) throws {
        if fails { throw Refusal() }
        var container = encoder.singleValueContainer()
        try container.encode(fails)
    }

    init(fails: Bool) {
        self.fails = fails
    }

    init(from decoder: any Decoder) throws {
        fails = try decoder.singleValueContainer().decode(Bool.self)
    }
}

extension SharedKey where Value == Int {
    static var count: Self { .init("count") }

    /// A key with a codec of the test's own, which does some work whenever it opens a value.
    static func plain(_ name: String = "count", opening: @escaping @Sendable () throws -> Void = {}) -> Self {
        let codec = StorageCodec(
            "test.plain",
            encode: { bytes, _ in bytes },
            decode: { bytes, _ in
                try opening()
                return bytes
            }
        )
        return Self(name, codec: codec)
    }
}

extension SharedKey where Value == Session {
    static var session: Self { .init("session") }
}

/// A clock that stands still until it is moved.
final class ManualDate: Sendable {
    private let date = Mutex(Date(timeIntervalSince1970: 1_700_000_000))

    var now: Date {
        date.withLock { $0 }
    }

    func advance(by seconds: Double) {
        date.withLock { $0 += seconds }
    }
}
