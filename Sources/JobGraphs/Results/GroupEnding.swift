// SPDX-License-Identifier: MIT

import RestEssentials

struct GroupEnding: Sendable {
    struct Member: Sendable {
        let kind: JobKind
        let name: String
    }

    let id: GroupID
    let startedAt: Date
    let start: Duration
    let duration: Duration
    let outcome: RunReport.Outcome
    let times: [NodeTimes]
    let notes: [JobNote?]
    let isChain: Bool
    let words: @Sendable (any Error) -> String
    let member: @Sendable (Int) -> Member

    func report(_ outcomes: [JobOutcome<any Sendable>]) -> RunReport {
        let members = outcomes.indices.map(member)
        let names = Self.unique(members.map(\.name))
        return RunReport(
            name: isChain ? "chain" : "group",
            id: id.description,
            startedAt: startedAt,
            duration: duration,
            outcome: outcome,
            nodes: outcomes.indices.map { index in
                let note = notes.isEmpty ? nil : notes[index]?.all
                let ending = NodeEnding(
                    kind: members[index].kind,
                    error: outcomes[index].error,
                    times: times[index],
                    note: note,
                    runStart: start
                )
                let previous = isChain && index > 0 ? index - 1 : nil
                let ready = previous.flatMap { times[$0].ended }.map { $0 - start } ?? .zero
                return ending.report(
                    names[index],
                    after: previous.map { [names[$0]] } ?? [],
                    RunReport.Status(outcomes[index], note),
                    ready: ready,
                    words: words
                )
            }
        )
    }

    /// Returns the same names, with the index of the member behind those that occur more than once.
    private static func unique(_ names: [String]) -> [String] {
        var counts: [String: Int] = [:]
        for name in names {
            counts[name, default: 0] += 1
        }
        return names.indices.map { counts[names[$0]] == 1 ? names[$0] : "\(names[$0])[\($0)]" }
    }
}
