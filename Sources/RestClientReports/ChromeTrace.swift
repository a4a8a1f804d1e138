// SPDX-License-Identifier: MIT

public import JobGraphs
public import RestEssentials

/// Formats a report in Chrome's trace event format, which Perfetto and `chrome://tracing` read.
///
/// Nodes that ran at the same time are on separate lanes. Arrows lead from each node to those that waited for it.
struct ChromeTrace: Encodable {
    /// One event of the format; missing values are omitted.
    struct Event: Encodable, Equatable {
        var name: String
        var cat: String?
        /// The kind of the event, which the format calls phase: `X` with a duration, `s` and `f` the ends of an arrow,
        /// `M` a name.
        var ph: String
        /// In microseconds.
        var ts: Double = 0
        var dur: Double?
        var pid = 1
        var tid = 0
        var id: Int?
        /// The binding of an arrow's end: `e` for the event around it.
        var bp: String?
        var args: [String: TraceArgument]?
    }

    let traceEvents: [Event]
    let displayTimeUnit = "ms"
    let otherData: [String: String]

    init(_ report: RunReport) {
        let rows = ReportRow.all(of: report)
        let lanes = Self.lanes(for: rows.map(\.node.extent))
        var events = [Event(name: "process_name", ph: "M", args: ["name": .string(report.name)])]
        for lane in 0...(lanes.compactMap(\.self).max() ?? 0) {
            events.append(Event(name: "thread_name", ph: "M", tid: lane, args: ["name": .string("lane \(lane + 1)")]))
        }
        for (row, lane) in zip(rows, lanes) {
            if let lane, let extent = row.node.extent {
                events.append(Self.event(for: row, extent, lane))
                events += Self.spans(of: row.node, extent, lane)
            }
        }
        events += Self.arrows(between: rows, lanes)
        traceEvents = events
        otherData = [
            "run": report.id,
            "startedAt": report.startedAt.formatted(.iso8601),
            "outcome": report.outcome.rawValue,
        ]
    }

    private static func event(for row: ReportRow, _ extent: Range<Duration>, _ lane: Int) -> Event {
        let node = row.node
        var args: [String: TraceArgument] = [
            "status": .string(node.status.rawValue),
            "attempts": .int(Int64(node.attempts)),
            "critical": .bool(row.isCritical),
        ]
        args["inside"] = row.containers.isEmpty ? nil : .string(row.containers.joined(separator: " › "))
        args["detail"] = node.detail.map { .string($0) }
        args["error"] = node.error.map { .string($0) }
        args["source"] = node.source.map { .string($0.rawValue) }
        args["tags"] = node.tags.isEmpty ? nil : .array(node.tags.map { .string($0) })
        return Event(
            name: node.fullName,
            cat: node.kind.rawValue,
            ph: "X",
            ts: microseconds(extent.lowerBound),
            dur: microseconds(extent.upperBound - extent.lowerBound),
            tid: lane,
            args: args
        )
    }

    /// Returns the spans of a node, limited to its own extent, because viewers expect the events of a lane to be
    /// nested.
    private static func spans(of node: RunReport.Node, _ extent: Range<Duration>, _ lane: Int) -> [Event] {
        var free = extent.lowerBound
        return node.drawnSpans.sorted { $0.start < $1.start }
            .compactMap { span in
                let start = max(span.start, free)
                let end = min(span.end, extent.upperBound)
                guard start <= end else {
                    return nil
                }
                free = end
                return Event(
                    name: span.phase.rawValue,
                    cat: "phase",
                    ph: "X",
                    ts: microseconds(start),
                    dur: microseconds(end - start),
                    tid: lane,
                    args: span.attempt > 0 ? ["attempt": .int(Int64(span.attempt))] : nil
                )
            }
    }

    private static func arrows(between rows: [ReportRow], _ lanes: [Int?]) -> [Event] {
        var places: [[String]: Int] = [:]
        for (place, row) in rows.enumerated() where lanes[place] != nil {
            places[row.containers + [row.node.name]] = place
        }
        var events: [Event] = []
        var id = 0
        for (place, row) in rows.enumerated() {
            guard let lane = lanes[place], let extent = row.node.extent else {
                continue
            }
            for name in row.node.dependencies {
                guard let source = places[row.containers + [name]], let sourceLane = lanes[source],
                    let sourceExtent = rows[source].node.extent
                else {
                    continue
                }
                id += 1
                let end = min(sourceExtent.upperBound, extent.lowerBound)
                var arrow = Event(name: "after", cat: "dependency", ph: "s", ts: microseconds(end), tid: sourceLane)
                arrow.id = id
                events.append(arrow)
                (arrow.ph, arrow.ts, arrow.tid, arrow.bp) = ("f", microseconds(extent.lowerBound), lane, "e")
                events.append(arrow)
            }
        }
        return events
    }

    /// Returns a lane for each interval, so that intervals in the same lane do not overlap; `nil` for a missing
    /// interval.
    static func lanes(for extents: [Range<Duration>?]) -> [Int?] {
        let present = extents.indices.filter { extents[$0] != nil }
        func bound(_ place: Int, _ path: KeyPath<Range<Duration>, Duration>) -> Duration {
            extents[place]?[keyPath: path] ?? .zero
        }
        // Indexes break ties, so that the same report always produces the same drawing.
        let byStart = present.sorted { (bound($0, \.lowerBound), $0) < (bound($1, \.lowerBound), $1) }
        var ending = present.sorted { (bound($0, \.upperBound), $0) < (bound($1, \.upperBound), $1) }[...]
        var lanes = [Int?](repeating: nil, count: extents.count)
        var free: [Int] = []
        var count = 0
        for place in byStart {
            while let first = ending.first, bound(first, \.upperBound) <= bound(place, \.lowerBound), first != place {
                ending.removeFirst()
                if let lane = lanes[first] {
                    free.append(lane)
                }
            }
            if let lane = free.popLast() {
                lanes[place] = lane
            } else {
                lanes[place] = count
                count += 1
            }
        }
        return lanes
    }

    private static func microseconds(_ duration: Duration) -> Double {
        Double(duration.wholeNanoseconds) / 1_000
    }
}

extension RunReport.Node {
    /// The interval from the moment at which the node could begin to its end; `nil` if it did not run.
    fileprivate var extent: Range<Duration>? {
        guard let started, let ended, ended >= started else {
            return nil
        }
        return min(queued ?? started, started)..<ended
    }
}

extension RunReport {
    /// The report in Chrome's trace event format, for Perfetto and `chrome://tracing`.
    ///
    /// - Returns: JSON in UTF-8.
    /// - Throws: An `EncodingError`, which is not expected for any report.
    public func chromeTrace() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(ChromeTrace(self))
    }
}

enum TraceArgument: Encodable, Equatable {
    case string(String)
    case int(Int64)
    case bool(Bool)
    case array([TraceArgument])

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .string(let text): try container.encode(text)
        case .int(let number): try container.encode(number)
        case .bool(let flag): try container.encode(flag)
        case .array(let elements): try container.encode(elements)
        }
    }
}
