// SPDX-License-Identifier: MIT

/// The results, times and notes of the nodes of a run.
struct NodeRecords {
    private(set) var results: [NodeResult]
    private(set) var times: [NodeTimes]
    /// The notes of nodes for the report; empty as long as there are none.
    private(set) var notes: [JobNote?] = []
    /// The nodes that succeeded, in the order of their ends; only if something may have to be undone.
    private(set) var completed: [Int] = []

    init(count: Int) {
        results = Array(repeating: .notRun, count: count)
        times = Array(repeating: NodeTimes(), count: count)
    }

    /// Notes when a node had its turn.
    mutating func begin(_ node: Int, at now: Duration) {
        times[node].started = now
    }

    /// Notes how a node ended that had its turn.
    mutating func end(_ node: Int, _ result: NodeResult, at now: Duration) {
        results[node] = result
        times[node].ended = now
    }

    /// Notes how a node ended that never had its turn.
    mutating func passOver(_ node: Int, _ result: NodeResult) {
        results[node] = result
    }

    /// Notes that a node's work is done, and may have to be undone.
    mutating func complete(_ node: Int) {
        completed.append(node)
    }

    /// Takes over what an earlier run left of a node.
    mutating func adopt(_ value: any Sendable, _ note: JobNote, of node: Int) {
        results[node] = .success(value)
        keep(note, of: node)
    }

    /// The note of a node for the report.
    func note(of node: Int) -> JobNote? {
        notes.isEmpty ? nil : notes[node]
    }

    /// Keeps the note of a node for the report.
    mutating func keep(_ note: JobNote, of node: Int) {
        if notes.isEmpty {
            notes = Array(repeating: nil, count: results.count)
        }
        notes[node] = note
    }

    /// Notes how long a node waited before its work began.
    mutating func noteWait(of node: Int, _ span: RunReport.Span) {
        let note = note(of: node) ?? JobNote()
        note.update { $0.spans.append(span) }
        keep(note, of: node)
    }
}
