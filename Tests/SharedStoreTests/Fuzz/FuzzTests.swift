// SPDX-License-Identifier: MIT

import Foundation
import SeededRandom
import Testing

@testable import SharedStore

/// Decoders under arbitrary input: an error or a response within the limits, never a trap.
///
/// `SHARED_STORE_FUZZ_ROUNDS` sets the number of changed inputs per entry of the corpus, 300 without it. Every run
/// uses the same random numbers unless `SHARED_STORE_FUZZ_SEED` says otherwise.
@Suite(.timeLimit(.minutes(10)))
struct FuzzTests {
    private func environment(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    /// Every input of the corpus as it is and changed.
    private func forEachInput(_ corpus: [Data], _ body: (Data) -> Void) {
        var generator = SeededGenerator(seed: UInt64(environment("SHARED_STORE_FUZZ_SEED") ?? 1))
        for (index, input) in corpus.enumerated() {
            body(input)
            for count in 0..<input.count { body(input.prefix(count)) }
            for _ in 0..<(environment("SHARED_STORE_FUZZ_ROUNDS") ?? 300) {
                let other = corpus[Int.random(in: 0..<corpus.count, using: &generator)]
                body(mutate(input, with: index == 0 ? input : other, &generator))
            }
        }
    }

    private func mutate(_ input: Data, with other: Data, _ generator: inout SeededGenerator) -> Data {
        var data = Array(input)
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            let place = Int.random(in: 0...data.count, using: &generator)
            switch Int.random(in: 0..<7, using: &generator) {
            case 0 where place < data.count: data[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 1 where place < data.count: data[place] = .random(in: 0...255, using: &generator)
            case 2 where place < data.count:
                data[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
            case 3: data.insert(.random(in: 0...255, using: &generator), at: place)
            case 4: data.removeSubrange(place..<min(data.count, place + Int.random(in: 0...8, using: &generator)))
            case 5: data.insert(contentsOf: other.prefix(Int.random(in: 0...other.count, using: &generator)), at: place)
            default: data.append(contentsOf: data.prefix(place))
            }
            if data.count > 4096 { data.removeLast(data.count - 4096) }
        }
        return Data(data)
    }

    @Test
    func `the envelope decoder survives anything and reads back what it accepts`() {
        var accepted = 0
        forEachInput(FuzzCorpus.envelopes) { input in
            guard let envelope = try? ValueEnvelope(input, key: "k") else {
                return
            }
            accepted += 1
            #expect((try? envelope.header).map { $0 + envelope.payload } == input)
        }
        #expect(accepted > 100)
    }

    @Test
    func `a value decoder survives anything`() {
        let codecs: [StorageCodec] = [.identity, .gzip, .sealed(.generate())]
        forEachInput(FuzzCorpus.envelopes) { input in
            let row = Row(value: input, attributes: RowAttributes(storedAt: .now), version: 1)
            for codec in codecs {
                let key = SharedKey<[String: Int]>("k", codec: codec, previousCodecs: codecs)
                do throws(StoreError) {
                    _ = try key.decode(row)
                } catch {
                    #expect(error.key == "k" || error.code == .limitExceeded || !error.description.isEmpty)
                }
            }
        }
    }

    @Test
    func `the decoder of cache rows survives anything, and no entry lives longer than its row says`() throws {
        let key = SealingKey.generate()
        let times = [-Double.infinity, -1e300, 0, 8e8, 1e300, .infinity, .nan]
            .map { Date(timeIntervalSinceReferenceDate: $0) }
        for codec in [StorageCodec.identity, .gzip, .sealed(key), .gzipSealed(key)] {
            let coder = CacheRowCoder(codec: codec)
            let whole = try times.map { try coder.metadata(Data("head".utf8), $0, $0, key: "k") }
            let body = try codec.encode(
                Data("body".utf8),
                context: CodecContext(name: "k", header: Data("body".utf8))
            )
            // Headers that announce more than there is.
            let cut = [
                Data([1, 0]), Data([1, 255]), Data([2, 8]), Data([2, 8]) + Data("identity".utf8), Data([3, 1]),
            ]
            var accepted = 0
            forEachInput(whole + cut) { input in
                let time = times[input.count % times.count]
                let attributes = RowAttributes(metadata: input, storedAt: time, expiresAt: time)
                let summary = RowSummary(key: "k", attributes: attributes, version: 1, lastUsedAt: time, size: .max)
                let info = coder.info(summary)
                #expect(!((info.expiresAt ?? .distantFuture) > time))
                _ = coder.isCurrent(summary)
                if let entry = try? coder.entry(Row(value: body, attributes: attributes, version: 1), key: "k") {
                    accepted += 1
                    #expect(!((entry.expiresAt ?? .distantFuture) > time))
                    for maxAge in [nil, Duration.zero, .seconds(Int64.max)] as [Duration?] {
                        _ = Freshness.isFresh(
                            storedAt: entry.storedAt,
                            expiresAt: entry.expiresAt,
                            maxAge: maxAge,
                            now: .now
                        )
                    }
                }
            }
            #expect(accepted > 0)
        }
    }

    @Test
    func `the inflater survives anything and keeps to its limit`() {
        let limit = 10_000
        forEachInput(FuzzCorpus.streams) { input in
            for format in [CompressionFormat.gzip, .zlib, .raw, .automatic] {
                let whole = Result { () throws(StoreError) in
                    try Inflater.decompress(input, format: format, limit: limit)
                }
                let pieces = Result { () throws(StoreError) in
                    var inflater = try Inflater(format: format, limit: limit)
                    var output = Data()
                    for start in stride(from: 0, to: input.count, by: 5) {
                        output += try inflater.update(input[start..<min(start + 5, input.count)])
                        guard output.count <= limit else {
                            throw StoreError(.internalFailure, "beyond the limit")
                        }
                    }
                    try inflater.finish()
                    return output
                }
                // The way the input is cut makes no difference.
                switch (whole, pieces) {
                case (.success(let one), .success(let other)):
                    #expect(one == other)
                    #expect(one.count <= limit)
                case (.failure(let one), .failure(let other)): #expect(one.code == other.code)
                default: Issue.record("\(Array(input)) as \(format): \(whole) and \(pieces)")
                }
            }
        }
    }

    @Test
    func `what is deflated from random pieces comes back`() throws {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<200 {
            let pieces = (0..<Int.random(in: 0...10, using: &generator))
                .map { _ in
                    Data(
                        (0..<Int.random(in: 0...3000, using: &generator))
                            .map { _ in
                                UInt8.random(in: 0...3, using: &generator)
                            }
                    )
                }
            let format = [CompressionFormat.gzip, .zlib, .raw].randomElement(using: &generator) ?? .gzip
            var deflater = try Deflater(format: format, level: .random(in: 0...9, using: &generator))
            var compressed = Data()
            for piece in pieces { compressed += try deflater.update(piece) }
            compressed += try deflater.finish()

            let expected = pieces.reduce(Data(), +)
            #expect(try Inflater.decompress(compressed, format: format, limit: expected.count) == expected)
        }
    }

    @Test
    func `the tag list survives anything`() {
        forEachInput(FuzzCorpus.envelopes + [TagList.encode(["a", "\u{e9}", ""]) ?? Data()]) { input in
            let tags = TagList.decode(input)
            #expect(TagList.decode(TagList.encode(tags) ?? Data()) == tags)
        }
    }
}
