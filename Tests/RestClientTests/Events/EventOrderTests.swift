// SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import Testing

@testable import RestClient

/// The tables of `Docs/events.md` hold.
@Suite(.timeLimit(.minutes(5)))
struct EventOrderTests {
    @Test
    func `each row of the page has its scenario, and each scenario its row`() throws {
        let rows = try EventOrderDocument().rows.map(\.title)
        #expect(Set(rows) == Set(EventScenario.all.keys))
        #expect(rows.count == EventScenario.all.count)
    }

    @Test
    func `the page names every kind of event, and every class of failure`() throws {
        let text = try EventOrderDocument().text
        #expect(ClientEvent.Name.allCases.filter { !text.contains("`\($0)") }.isEmpty)
        #expect(FailureClass.allCases.filter { !text.contains("| `\($0)` |") }.isEmpty)
    }

    @Test(arguments: try EventOrderDocument().rows)
    func `events come in the order of the page`(row: EventOrderDocument.Row) async throws {
        let scenario = try #require(EventScenario.all[row.title])
        let events = try await scenario.events()
        #expect(events.map(\.line) == row.events)
    }

    @Test(arguments: try EventOrderDocument().rows)
    func `a call starts once, ends once, and its events carry its identifier`(row: EventOrderDocument.Row) async throws
    {
        let scenario = try #require(EventScenario.all[row.title])
        let events = try await scenario.events()
        for (id, events) in Dictionary(grouping: events, by: \.callID) where id != nil && events.count > 1 {
            #expect(events.first?.kind.name == .callStarted)
            #expect(events.last?.isTerminal == true)
            #expect(events.count { $0.isTerminal } == 1)
            #expect(events.count { $0.kind.name == .callStarted } == 1)
            #expect(events.allSatisfy { $0.request != nil })
            #expect(zip(events, events.dropFirst()).allSatisfy { $0.uptime <= $1.uptime })
        }
        if events.contains(where: { [.groupStarted, .graphStarted].contains($0.kind.name) }) {
            #expect(Set(events.map(\.groupID)).count == 1)
            #expect(events.first?.groupID != nil)
        }
    }
}
