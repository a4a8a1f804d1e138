// SPDX-License-Identifier: MIT

public import RestEssentials

// The keys are a promise, listed in the article "Reading reports of runs". Times are whole nanoseconds, as their keys
// say.

extension RunReport: Codable {
    private enum CodingKeys: String, CodingKey {
        case version, name, id, startedAt, outcome, nodes
        case duration = "durationNs"
    }

    /// The version of the format that is written; later versions are rejected on reading.
    static let formatVersion = 1

    private static let dateStyle = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// Reads a report.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let version = try container.decode(Int.self, forKey: .version)
        guard version <= Self.formatVersion else {
            throw DecodingError.dataCorruptedError(
                forKey: .version,
                in: container,
                debugDescription:
                    "the report has the format version \(version), and this version reads up to \(Self.formatVersion)"
            )
        }
        let date = try container.decode(String.self, forKey: .startedAt)
        guard let startedAt = try? Self.dateStyle.parse(date) else {
            throw DecodingError.dataCorruptedError(
                forKey: .startedAt,
                in: container,
                debugDescription: "'\(date)' is not an ISO 8601 date with fractional seconds"
            )
        }
        self.init(
            name: try container.decode(String.self, forKey: .name),
            id: try container.decode(String.self, forKey: .id),
            startedAt: startedAt,
            duration: .nanoseconds(try container.decode(Int64.self, forKey: .duration)),
            outcome: try container.decode(Outcome.self, forKey: .outcome),
            nodes: try container.decode([Node].self, forKey: .nodes)
        )
    }

    /// Writes the report.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.formatVersion, forKey: .version)
        try container.encode(name, forKey: .name)
        try container.encode(id, forKey: .id)
        try container.encode(Self.dateStyle.format(startedAt), forKey: .startedAt)
        try container.encode(duration.wholeNanoseconds, forKey: .duration)
        try container.encode(outcome, forKey: .outcome)
        try container.encode(nodes, forKey: .nodes)
    }
}

extension RunReport {
    /// Returns a number that a stored report may hold, within the bounds of those that a run can have.
    fileprivate static func count(_ number: Int) -> Int {
        min(max(0, number), Int(Int32.max))
    }
}

extension RunReport.Node: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, label, kind, dependencies, tags, status, attempts, error, detail, source, spans, children
        case queued = "queuedNs"
        case started = "startedNs"
        case ended = "endedNs"
    }

    /// Reads the report of one node; missing lists are empty.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func instant(_ key: CodingKeys) throws -> Duration? {
            try container.decodeIfPresent(Int64.self, forKey: key).map { .nanoseconds($0) }
        }
        self.init(
            name: try container.decode(String.self, forKey: .name),
            label: try container.decodeIfPresent(String.self, forKey: .label),
            kind: try container.decode(RunReport.Kind.self, forKey: .kind),
            dependencies: try container.decodeIfPresent([String].self, forKey: .dependencies) ?? [],
            tags: try container.decodeIfPresent([String].self, forKey: .tags) ?? [],
            status: try container.decode(RunReport.Status.self, forKey: .status),
            attempts: RunReport.count(try container.decodeIfPresent(Int.self, forKey: .attempts) ?? 0),
            error: try container.decodeIfPresent(String.self, forKey: .error),
            detail: try container.decodeIfPresent(String.self, forKey: .detail),
            source: try container.decodeIfPresent(RunReport.Source.self, forKey: .source),
            queued: try instant(.queued),
            started: try instant(.started),
            ended: try instant(.ended),
            spans: try container.decodeIfPresent([RunReport.Span].self, forKey: .spans) ?? [],
            children: try container.decodeIfPresent([RunReport.Node].self, forKey: .children) ?? []
        )
    }

    /// Writes the report of the node.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encodeIfPresent(label, forKey: .label)
        try container.encode(kind, forKey: .kind)
        try container.encode(dependencies, forKey: .dependencies)
        try container.encode(tags, forKey: .tags)
        try container.encode(status, forKey: .status)
        try container.encode(attempts, forKey: .attempts)
        try container.encodeIfPresent(error, forKey: .error)
        try container.encodeIfPresent(detail, forKey: .detail)
        try container.encodeIfPresent(source, forKey: .source)
        try container.encodeIfPresent(queued?.wholeNanoseconds, forKey: .queued)
        try container.encodeIfPresent(started?.wholeNanoseconds, forKey: .started)
        try container.encodeIfPresent(ended?.wholeNanoseconds, forKey: .ended)
        try container.encode(spans, forKey: .spans)
        try container.encode(children, forKey: .children)
    }
}

extension RunReport.Span: Codable {
    private enum CodingKeys: String, CodingKey {
        case phase, attempt
        case start = "startNs"
        case end = "endNs"
    }

    /// Reads a span.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(RunReport.Phase.self, forKey: .phase),
            attempt: RunReport.count(try container.decodeIfPresent(Int.self, forKey: .attempt) ?? 1),
            start: .nanoseconds(try container.decode(Int64.self, forKey: .start)),
            end: .nanoseconds(try container.decode(Int64.self, forKey: .end))
        )
    }

    /// Writes the span.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(phase, forKey: .phase)
        try container.encode(attempt, forKey: .attempt)
        try container.encode(start.wholeNanoseconds, forKey: .start)
        try container.encode(end.wholeNanoseconds, forKey: .end)
    }
}

// MARK: - JSON

extension RunReport {
    /// The report as JSON, with sorted keys and indented.
    ///
    /// - Returns: The text, in UTF-8.
    /// - Throws: An `EncodingError` when nodes are nested too deeply.
    public func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }

    /// Reads a report that ``json()`` wrote.
    ///
    /// - Parameter json: The text, in UTF-8.
    /// - Throws: A `DecodingError` that names the location when the text is not a report.
    public init(json: Data) throws {
        self = try JSONDecoder().decode(Self.self, from: json)
    }
}
