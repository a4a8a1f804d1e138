// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore
import TestSupport
import Testing

@testable import RestClient

@Suite(.timeLimit(.minutes(5)))
struct TokenKeepingTests {
    private let directory: TemporaryDirectory
    private let key: SealingKey

    init() throws {
        directory = try TemporaryDirectory()
        key = try SealingKey(bytes: Data(repeating: 7, count: 32))
    }

    private var file: URL { directory.path("shared.sqlite") }

    private func source(_ token: AccessToken? = nil) -> TokenSource {
        TokenSource(token) { AccessToken("next-of-\($0?.value ?? "none")") }
    }

    @Test
    func `a token outlives its process, sealed`() throws {
        let first = source()
        let data = try SharedData(file: file)
        try first.keep(in: data, as: "token", sealedWith: key)
        first.current = AccessToken("s3cret", refreshToken: "r3fresh", user: "anna")
        data.close()

        let second = source()
        try second.keep(in: try SharedData(file: file), as: "token", sealedWith: key)

        #expect(second.current == AccessToken("s3cret", refreshToken: "r3fresh", user: "anna"))
        for name in directory.names {
            let bytes = try Data(contentsOf: directory.path(name))
            #expect(bytes.firstRange(of: Data("s3cret".utf8)) == nil)
            #expect(bytes.firstRange(of: Data("r3fresh".utf8)) == nil)
        }
    }

    @Test
    func `a refreshed token is kept, and a logout removes it`() async throws {
        let data = SharedData()
        let first = source(AccessToken("old"))
        try first.keep(in: data, as: "token", sealedWith: key)
        first.invalidate()
        let token = try await first.token()
        #expect(token.value == "next-of-old")

        let second = source()
        try second.keep(in: data, as: "token", sealedWith: key)
        #expect(second.current?.value == "next-of-old")

        first.current = nil
        let third = source()
        try third.keep(in: data, as: "token", sealedWith: key)
        #expect(third.current == nil)
    }

    @Test
    func `the token that a source has wins over the stored one`() throws {
        let data = SharedData()
        try source(AccessToken("stored")).keep(in: data, as: "token", sealedWith: key)
        let source = source(AccessToken("own"))
        try source.keep(in: data, as: "token", sealedWith: key)

        let reader = self.source()
        try reader.keep(in: data, as: "token", sealedWith: key)
        #expect(source.current?.value == "own")
        #expect(reader.current?.value == "own")
    }

    @Test
    func `a wrong key is an error, and leaves the source and the store as they are`() throws {
        let data = SharedData()
        try source(AccessToken("stored")).keep(in: data, as: "token", sealedWith: key)
        let source = source(AccessToken("own"))
        let wrong = try SealingKey(bytes: Data(repeating: 8, count: 32))

        #expect(throws: StoreError.self) { try source.keep(in: data, as: "token", sealedWith: wrong) }

        #expect(source.current?.value == "own")
        source.current = AccessToken("later")
        let reader = self.source()
        try reader.keep(in: data, as: "token", sealedWith: key)
        #expect(reader.current?.value == "stored")
    }

    /// A stored token that the source cannot read.
    enum Obstacle: CaseIterable {
        case otherKey, otherType

        var code: StoreError.Code { self == .otherKey ? .wrongKey : .decodingFailed }

        func put(into data: SharedData, _ key: SealingKey) throws {
            switch self {
            case .otherKey:
                let codec = StorageCodec.sealed(.generate(), previous: [key])
                try data.set(AccessToken("other"), for: SharedKey<AccessToken>("token", codec: codec))
            case .otherType:
                try data.set(7, for: SharedKey<Int>("token", codec: .sealed(key)))
            }
        }
    }

    @Test(arguments: Obstacle.allCases, [true, false])
    func `a token that is refreshed while the stored one cannot be read is used, and leaves the store as it is`(
        obstacle: Obstacle,
        isThereBefore: Bool
    ) async throws {
        let data = SharedData()
        let failures = Recorder<StoreError.Code?>()
        let source = TokenSource(AccessToken("old")) { [key] old in
            if !isThereBefore { try obstacle.put(into: data, key) }
            return AccessToken("next-of-\(old?.value ?? "none")")
        }
        try source.keep(in: data, as: "token", sealedWith: key) { failures.record(($0 as? StoreError)?.code) }
        if isThereBefore { try obstacle.put(into: data, key) }
        #expect(source.current?.value == "old")
        source.invalidate()

        #expect(try await source.token().value == "next-of-old")

        #expect(source.current?.value == "next-of-old")
        #expect(!failures.elements.isEmpty)
        #expect(failures.elements.allSatisfy { $0 == obstacle.code })
        let error = #expect(throws: StoreError.self) {
            try self.source().keep(in: data, as: "token", sealedWith: key)
        }
        #expect(error?.code == obstacle.code)
    }

    @Test
    func `a store that fails tells so, and the token is used all the same`() throws {
        let data = try SharedData(file: file)
        let failures = Recorder<Bool>()
        let source = source()
        try source.keep(in: data, as: "token", sealedWith: key) { failures.record($0 is StoreError) }
        data.close()

        source.current = AccessToken("new")

        #expect(source.current?.value == "new")
        #expect(failures.elements == [true])
    }
}
