// SPDX-License-Identifier: MIT

struct NodeRecords {
    private(set) var results: [NodeResult]
    private(set) var times: [NodeTimes]
    private(set) var notes: [JobNote?] = []
    /// The nodes that succeeded, in the order of their ends; only if a compensation may be necessary.
    private(set) var completed: [Int] = []

    init(count: Int) {
        results = Array(repeating: .notRun, count: count)
        times = Array(repeating: NodeTimes(), count: count)
    }

    mutating func begin(_ node: Int, at now: Duration) {
        times[node].started = now
    }

    mutating func end(_ node: Int, _ result: NodeResult, at now: Duration) {
        results[node] = result
        times[node].ended = now
    }

    mutating func passOver(_ node: Int, _ result: NodeResult) {
        results[node] = result
    }

    mutating func complete(_ node: Int) {
        completed.append(node)
    }

    mutating func adopt(_ value: any Sendable, _ note: JobNote, of node: Int) {
        results[node] = .success(value)
        keep(note, of: node)
    }

    func note(of node: Int) -> JobNote? {
        notes.isEmpty ? nil : notes[node]
    }

    mutating func keep(_ note: JobNote, of node: Int) {
        if notes.isEmpty {
            notes = Array(repeating: nil, count: results.count)
        }
        notes[node] = note
    }

    mutating func noteWait(of node: Int, from start: Duration, to end: Duration, since runStart: Duration) {
        let note = note(of: node) ?? JobNote()
        note.noteWait(from: start, to: end, since: runStart)
        keep(note, of: node)
    }
}

/// The start and the end of a node, on the runtime's clock; without optionals, because each node has one.
struct NodeTimes: Sendable {
    private var start = Self.never
    private var end = Self.never

    /// The runtime's clock begins at zero.
    private static let never = Duration.seconds(-1)

    var started: Duration? {
        get { start < .zero ? nil : start }
        set { start = newValue ?? Self.never }
    }

    /// The end; `nil` if the node did not begin, or has not ended.
    var ended: Duration? {
        get { end < .zero ? nil : end }
        set { end = newValue ?? Self.never }
    }
}
