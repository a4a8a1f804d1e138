// SPDX-License-Identifier: MIT

/// The results, times and notes of the nodes of a run.
struct NodeRecords {
    private(set) var results: [NodeResult]
    private(set) var times: [NodeTimes]
    /// The notes of nodes for the report; empty as long as there are none.
    private(set) var notes: [JobNote?] = []
    /// The nodes that succeeded, in the order of their ends; only if a compensation may be necessary.
    private(set) var completed: [Int] = []

    init(count: Int) {
        results = Array(repeating: .notRun, count: count)
        times = Array(repeating: NodeTimes(), count: count)
    }

    /// Records when a node began.
    mutating func begin(_ node: Int, at now: Duration) {
        times[node].started = now
    }

    /// Records how a node that began has ended.
    mutating func end(_ node: Int, _ result: NodeResult, at now: Duration) {
        results[node] = result
        times[node].ended = now
    }

    /// Records the outcome of a node that never began.
    mutating func passOver(_ node: Int, _ result: NodeResult) {
        results[node] = result
    }

    /// Records that a node's work is done, and may have to be compensated.
    mutating func complete(_ node: Int) {
        completed.append(node)
    }

    /// Adopts the result of a node from an earlier run.
    mutating func adopt(_ value: any Sendable, _ note: JobNote, of node: Int) {
        results[node] = .success(value)
        keep(note, of: node)
    }

    /// The note of a node for the report.
    func note(of node: Int) -> JobNote? {
        notes.isEmpty ? nil : notes[node]
    }

    /// Stores the note of a node for the report.
    mutating func keep(_ note: JobNote, of node: Int) {
        if notes.isEmpty {
            notes = Array(repeating: nil, count: results.count)
        }
        notes[node] = note
    }

    /// Records how long a node waited before its work began.
    mutating func noteWait(of node: Int, _ span: RunReport.Span) {
        let note = note(of: node) ?? JobNote()
        note.update { $0.spans.append(span) }
        keep(note, of: node)
    }
}
