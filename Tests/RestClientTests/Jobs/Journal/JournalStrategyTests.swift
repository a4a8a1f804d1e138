// SPDX-License-Identifier: MIT

import RestEssentials
import TestSupport
import Testing

@testable import JobGraphs
@testable import RestClient

/// A result comes back from a journal equal, whatever the strategies with which it came over the wire.
@Suite(.timeLimit(.minutes(5)))
struct JournalStrategyTests {
    private struct Visit: Codable, Equatable, Sendable {
        var startedAt: Date
        var placeName: String
        var countsByName: [String: Int]
        var inner: [Inner]

        struct Inner: Codable, Equatable, Sendable {
            var endedAt: Date?
            var guestName: String

            enum CodingKeys: String, CodingKey {
                case endedAt
                case guestName = "guest_name"
            }
        }
    }

    private static let day = DateStrategy.text {
        $0.formatted(.iso8601.year().month().day())
    } parse: {
        try? Date($0, strategy: .iso8601.year().month().day())
    }

    private static let cases: [(KeyStrategy?, DateStrategy?, String)] = [
        (nil, nil, #""2026-03-01T12:30:00Z""#), (.asDeclared, .iso8601, #""2026-03-01T12:30:00Z""#),
        (.asDeclared, .secondsSince1970, "1772368200.1234567"),
        (.asDeclared, .millisecondsSince1970, "1772368200123.75"), (.asDeclared, day, #""2026-03-01""#),
    ]

    /// The body of a response, with this date.
    private static func body(_ date: String) -> String {
        """
        {"startedAt":\(date),"placeName":"here","countsByName":{"firstGuest":1,"second_guest":2},
         "inner":[{"endedAt":\(date),"guest_name":"a"},{"guest_name":"b"}]}
        """
    }

    private static func graph(_ node: RequestNode<Visit>, isMended: Bool) -> JobGraph {
        var graph = JobGraph("visits")
        let visit = graph.request("visit") { node }
        graph.local("last", after: visit) { visit throws -> Visit in
            guard isMended else {
                throw StepFailed()
            }
            return visit
        }
        return graph
    }

    private func result(_ run: GraphRun, _ name: String, of graph: JobGraph) throws -> Visit {
        let index = try #require(graph.nodes.firstIndex { $0.name == name })
        return try #require(run.ending.results[index].outcome.value as? Visit)
    }

    @Test(arguments: cases.indices)
    func `a result is equal after a resume`(index: Int) async throws {
        let (keys, dates, date) = Self.cases[index]
        let host = JournalHost { _ in .text(Self.body(date)) }
        var node = RequestNode(Visit.self).endpoint("/visit")
        if let keys {
            node = node.coding(keys: keys)
        }
        if let dates {
            node = node.coding(dates: dates)
        }
        let failing = Self.graph(node, isMended: false)
        let first = try await host.process().run(failing, journal: "visits")
        #expect(!first.isSuccess)
        let sent = try result(first, "visit", of: failing)

        // The strategies of the next start are others.
        let other = Self.graph(node.coding(keys: .snakeCase, dates: .millisecondsSince1970), isMended: true)
        let second = try await host.process().run(other, journal: "visits")

        #expect(second.node("visit")?.status == .resumed)
        #expect(try result(second, "visit", of: other) == sent)
        #expect(try result(second, "last", of: other) == sent)
        #expect(sent.countsByName == ["firstGuest": 1, "second_guest": 2])
        #expect(sent.inner.map(\.guestName) == ["a", "b"])
        #expect(host.requests.count == 1)
    }

    private struct Place: Codable, Equatable, Sendable {
        var placeName: String
        var openedAt: Date
        var tagsByName: [String: [Double]]
    }

    @Test(arguments: [
        (DateStrategy.iso8601, #""2026-03-01T00:00:00Z""#), (.secondsSince1970, "1772323200"),
        (.millisecondsSince1970, "1772323200000"), (day, #""2026-03-01""#),
    ])
    func `names in snake case do not reach the journal`(dates: DateStrategy, date: String) async throws {
        let place = Place(placeName: "here", openedAt: Date(timeIntervalSince1970: 1_772_323_200), tagsByName: [:])
        let host = JournalHost { _ in .text(#"{"place_name":"here","opened_at":\#(date),"tags_by_name":{}}"#) }
        let node = RequestNode(Place.self).endpoint("/place").coding(keys: .snakeCase, dates: dates)
        var graph = JobGraph("places")
        let found = graph.request("place") { node }
        // What local work adds is not in the format of the call at all.
        let moved = graph.local("moved", after: found) { place in
            Place(
                placeName: place.placeName,
                openedAt: place.openedAt + 0.000_123,
                tagsByName: ["aB": [.infinity, -.infinity, 1.5], "a_b": [-0.0, .greatestFiniteMagnitude]]
            )
        }
        graph.local("failing", after: moved) { _ throws -> Int in throw StepFailed() }
        let first = try await host.process().run(graph, journal: "places")
        let second = try await host.process().run(graph, journal: "places")

        #expect(try first[found] == place)
        #expect(second.nodes.map(\.status) == [.resumed, .resumed, .failure])
        #expect(try second[found] == first[found])
        #expect(try second[moved] == first[moved])
        #expect(try second[moved].tagsByName["aB"]?.first == .infinity)
    }
}
