// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import RestEssentials
import Testing

@testable import JobGraphs

/// Results that have to be equal after a resume.
@Suite(.timeLimit(.minutes(5)))
struct EqualResultTests {
    private struct Failed: Error {}

    private enum Place: Codable, Hashable, Sendable {
        case nowhere
        case at(x: Double, y: Double?)
    }

    private enum Weekday: String, Codable, Hashable, Sendable {
        case monday, tuesday
    }

    private struct Key: Codable, Hashable, Sendable {
        var number: Int
    }

    private struct All: Codable, Hashable, Sendable {
        var date: Date
        var data: Data
        var places: [Weekday: Place]
        var keys: [Key: Int?]
        var number: Double?
        var big: UInt64
    }

    /// A result, as a graph that fails after it, and then returns what its journal has.
    struct Sample: Sendable, CustomTestStringConvertible {
        let testDescription: String
        fileprivate let isEqual: @Sendable (JobRuntime) async throws -> Bool

        fileprivate init<Value: Sendable>(
            _ value: Value,
            _ areEqual: @escaping @Sendable (Value, Value) -> Bool
        ) {
            testDescription = "\(Value.self) \(value)"
            isEqual = { runtime in
                func graph(isMended: Bool) -> (JobGraph, JobHandle<Value>, JobHandle<[Value]>) {
                    var graph = JobGraph("results")
                    let result = graph.local("result") { value }
                    let items = graph.input("items", [1, 2])
                    let loop = graph.forEach("loop", in: items) { _ in value }
                    graph.local("last", after: result, loop) { _, _ in
                        if !isMended {
                            throw Failed()
                        }
                    }
                    return (graph, result, loop)
                }
                #expect(try await runtime.run(graph(isMended: false).0, journal: "results").isSuccess == false)
                let (mended, result, loop) = graph(isMended: true)
                let run = try await runtime.run(mended, journal: "results")
                #expect(run.statuses == [.resumed, .success, .resumed, .success])
                let values = try run[loop]
                return try areEqual(run[result], value) && values.count == 2
                    && values.allSatisfy { areEqual($0, value) }
            }
        }

        fileprivate init<Value: Sendable & Equatable>(_ value: Value) {
            self.init(value) { $0 == $1 }
        }
    }

    private static let date = Date(timeIntervalSinceReferenceDate: 812_345_678.123_456_7)

    private static let samples = [
        Sample(Int?.none), Sample(Int?.some(1)),
        Sample(Int??.none), Sample(Int??.some(nil)), Sample(Int??.some(1)),
        Sample(Int???.none), Sample(Int???.some(nil)), Sample(Int???.some(.some(nil))), Sample(Int???.some(1)),
        Sample([Int??.none, .some(nil), 1]), Sample([[Int??]]([[nil], [.some(nil)], []])),
        Sample([Int?]??.some([nil, 1])), Sample([String: Int?]?.some(["a": nil, "b": 1])),
        Sample(Void?.none) { ($0 == nil) == ($1 == nil) }, Sample(Void?.some(())) { ($0 == nil) == ($1 == nil) },
        Sample([Void]([(), ()])) { $0.count == $1.count },
        Sample([[Void]]([[()], []])) { $0.map(\.count) == $1.map(\.count) },
        Sample(()) { _, _ in true },
        Sample(Double.infinity), Sample(-Double.infinity), Sample(Double.nan) { $0.isNaN && $1.isNaN },
        Sample(-0.0) { $0.sign == $1.sign && $0 == $1 }, Sample(0.1 + 0.2), Sample(Double.leastNonzeroMagnitude),
        Sample(Float.pi), Sample(UInt64.max), Sample(Int64.min),
        Sample(date), Sample(Date.distantPast), Sample([date: 1]), Sample(Data([0, 255, 7])), Sample(Data()),
        Sample(Place.nowhere), Sample(Place.at(x: .infinity, y: nil)), Sample(Weekday.tuesday),
        Sample([Weekday.monday: 1]), Sample([1: "a"]), Sample([Key(number: 1): "a", Key(number: 2): "b"]),
        Sample(Set([3, 1, 2])), Sample("\u{0}\u{2028}\"\\ü"), Sample(true), Sample(UUID()),
        Sample(["$case": "some"]), Sample(["$case": "some"] as [String: String]?),
        Sample(
            All(
                date: date,
                data: Data([1]),
                places: [.monday: .nowhere],
                keys: [Key(number: 1): nil],
                number: nil,
                big: .max
            )
        ),
    ]

    @Test(arguments: samples)
    func `a result is equal after a resume`(sample: Sample) async throws {
        #expect(try await sample.isEqual(JobRuntime()))
    }

    @Test
    func `the outcomes of a loop come back, with their failures in words`() async throws {
        func graph(isMended: Bool) -> (JobGraph, JobHandle<[JobOutcome<Int?>]>) {
            var graph = JobGraph("outcomes")
            let items = graph.input("items", [1, 2, 3])
            let outcomes = graph.forEachOutcome("each", in: items, limit: 1) { item in
                LocalJob("\(item)") { () throws -> Int? in
                    switch item {
                    case 1: return nil
                    case 2: throw Failed()
                    default: throw CancellationError()
                    }
                }
            }
            graph.local("last", after: outcomes) { _ in
                if !isMended {
                    throw Failed()
                }
            }
            return (graph, outcomes)
        }
        let runtime = JobRuntime()
        _ = try await runtime.run(graph(isMended: false).0, journal: "outcomes")
        let (mended, each) = graph(isMended: true)
        let run = try await runtime.run(mended, journal: "outcomes")

        #expect(run.statuses == [.success, .resumed, .success])
        let outcomes = try run[each]
        #expect(outcomes.map(\.isSuccess) == [true, false, false])
        #expect(outcomes[0].value == .some(nil))
        let error = try #require(outcomes[1].error as? JobGraphError)
        #expect(error.code == .earlierFailure)
        #expect(error.message.contains("Failed"))
        guard case .cancelled = outcomes[2] else {
            Issue.record("the third outcome is \(outcomes[2])")
            return
        }
    }

    @Test
    func `results of older releases are read`() throws {
        #expect(try ResultCoding.value(Data("null".utf8), as: Int??.self) == nil)
        #expect(try ResultCoding.value(Data("5".utf8), as: Int??.self) == 5)
        #expect(try ResultCoding.value(Data("[null,5]".utf8), as: [Int??].self) == [nil, 5])
        #expect(try ResultCoding.value(Data("3".utf8), as: [Void].self).count == 3)
    }
}
