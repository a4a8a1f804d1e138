// SPDX-License-Identifier: MIT

import JSONCoding
import JSONSamples
import RestEssentials
import Testing

/// Each strategy of Foundation's coders, together with each of the other kinds.
@Suite("Strategies")
struct StrategyTests {
    private struct Sample: Codable, Equatable {
        var createdAt = Date(timeIntervalSince1970: 1_700_000_000.25)
        var visitDates = ["firstDay": [Date(timeIntervalSince1970: -1)]]
        var rawBytes = Data([0, 255, 255, 255])
        var exactAmount = Decimal(string: "12345.678") ?? 0
        var roundRatio = 0.5
        var singleRatio: Float
    }

    /// One strategy, for both directions.
    private struct Strategy: Sendable {
        let name: String
        let encoder: @Sendable (JSONEncoder) -> Void
        let decoder: @Sendable (JSONDecoder) -> Void
    }

    private static let dates = [
        Strategy(name: "deferred") {
            $0.dateEncodingStrategy = .deferredToDate
        } decoder: {
            $0.dateDecodingStrategy = .deferredToDate
        },
        Strategy(name: "seconds") {
            $0.dateEncodingStrategy = .secondsSince1970
        } decoder: {
            $0.dateDecodingStrategy = .secondsSince1970
        },
        Strategy(name: "milliseconds") {
            $0.dateEncodingStrategy = .millisecondsSince1970
        } decoder: {
            $0.dateDecodingStrategy = .millisecondsSince1970
        },
        Strategy(name: "ISO 8601") {
            $0.dateEncodingStrategy = .iso8601
        } decoder: {
            $0.dateDecodingStrategy = .iso8601
        },
        Strategy(name: "own dates") {
            $0.dateEncodingStrategy = .custom { try "\($0.timeIntervalSince1970)".encode(to: $1) }
        } decoder: {
            $0.dateDecodingStrategy = .custom { Date(timeIntervalSince1970: Double(try String(from: $0)) ?? 0) }
        },
    ]

    private static let data = [
        Strategy(name: "deferred") {
            $0.dataEncodingStrategy = .deferredToData
        } decoder: {
            $0.dataDecodingStrategy = .deferredToData
        },
        Strategy(name: "Base64") {
            $0.dataEncodingStrategy = .base64
        } decoder: {
            $0.dataDecodingStrategy = .base64
        },
        Strategy(name: "own data") {
            $0.dataEncodingStrategy = .custom { try Array($0.reversed()).encode(to: $1) }
        } decoder: {
            $0.dataDecodingStrategy = .custom { Data(try [UInt8](from: $0).reversed()) }
        },
    ]

    private static let floats = [
        Strategy(name: "throw") {
            $0.nonConformingFloatEncodingStrategy = .throw
        } decoder: {
            $0.nonConformingFloatDecodingStrategy = .throw
        },
        Strategy(name: "texts") {
            $0.nonConformingFloatEncodingStrategy =
                .convertToString(positiveInfinity: "+inf", negativeInfinity: "-inf", nan: "nan")
        } decoder: {
            $0.nonConformingFloatDecodingStrategy =
                .convertFromString(positiveInfinity: "+inf", negativeInfinity: "-inf", nan: "nan")
        },
    ]

    private static let keys = [
        Strategy(name: "default keys") {
            $0.keyEncodingStrategy = .useDefaultKeys
        } decoder: {
            $0.keyDecodingStrategy = .useDefaultKeys
        },
        Strategy(name: "snake case") {
            $0.keyEncodingStrategy = .convertToSnakeCase
        } decoder: {
            $0.keyDecodingStrategy = .convertFromSnakeCase
        },
        Strategy(name: "own keys") {
            $0.keyEncodingStrategy = .custom { SampleKey(stringValue: "x" + ($0.last?.stringValue ?? "")) }
        } decoder: {
            $0.keyDecodingStrategy = .custom { SampleKey(stringValue: String($0.last?.stringValue.dropFirst() ?? "")) }
        },
    ]

    private static let formats: [JSONEncoder.OutputFormatting] = [
        .sortedKeys, [.sortedKeys, .withoutEscapingSlashes], [.sortedKeys, .prettyPrinted],
    ]

    private static let samples = [Sample(singleRatio: 1.5), Sample(singleRatio: -.infinity)]

    private static var combinations: [[Strategy]] {
        [data, floats, keys]
            .reduce(dates.map { [$0] }) { combinations, next in
                combinations.flatMap { combination in next.map { combination + [$0] } }
            }
    }

    @Test
    func `models are encoded as Foundation encodes them, under all strategies`() {
        var comparison = Comparison()
        for combination in Self.combinations {
            for format in Self.formats {
                let encoder = JSONEncoder()
                encoder.outputFormatting = format
                for strategy in combination {
                    strategy.encoder(encoder)
                }
                for sample in Self.samples {
                    comparison.encode(sample, with: encoder, combination.map(\.name).joined(separator: ", "))
                }
            }
        }

        #expect(comparison.differences.isEmpty, "\(comparison.differences.joined(separator: "\n"))")
        // Foundation indents, applies closures to keys, and reports numbers that JSON does not have.
        #expect(comparison.direct == 5 * 3 * 2 * 2 * (1 + 2))
        #expect(comparison.handedOver == 5 * 3 * 2 * 3 * 3 * 2 - comparison.direct)
    }

    @Test
    func `texts are decoded as Foundation decodes them, under all strategies`() throws {
        var comparison = Comparison()
        for combination in Self.combinations {
            let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
            encoder.outputFormatting = .sortedKeys
            for strategy in combination {
                strategy.encoder(encoder)
                strategy.decoder(decoder)
            }
            let name = combination.map(\.name).joined(separator: ", ")
            let text = try encoder.encode(Self.samples[0])
            #expect(throws: Never.self, "\(name)") { try decoder.decode(Sample.self, from: text) }
            comparison.decode(Sample.self, from: text, with: decoder, name)
            // What another combination wrote, and what nobody did.
            for text in try Self.foreignTexts + [encoder.encode(["createdAt": 1])] {
                comparison.decode(Sample.self, from: text, with: decoder, name)
            }
        }

        #expect(comparison.differences.isEmpty, "\(comparison.differences.joined(separator: "\n"))")
        #expect(comparison.direct == 5 * 3 * 2 * 3 * 4)
        #expect(comparison.handedOver == 0)
    }

    private static var foreignTexts: [Data] {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            floats[1].encoder(encoder)
            return [try encoder.encode(samples[1]), Data("{}".utf8)]
        }
    }
}
