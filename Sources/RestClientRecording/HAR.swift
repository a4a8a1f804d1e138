// SPDX-License-Identifier: MIT

public import RestClient
public import RestEssentials

/// Recorded traffic in the HTTP Archive format, version 1.2, which the network panels of browsers read and write.
///
/// Reading is tolerant: missing members are empty, and members that other tools add are ignored. Writing includes every
/// member that the format requires.
public struct HAR: Sendable, Hashable {
    var creator = Creator.restClient

    /// The exchanges, in the order in which they began.
    public var entries: [Entry]

    init(entries: [Entry] = []) {
        self.entries = entries
    }

    struct Creator: Sendable, Hashable, Codable {
        var name: String
        var version: String
        static let restClient = Creator(name: "swift-rest-client", version: "1")
    }

    /// A name and a value: a header field, a query item or a form field.
    public struct Field: Sendable, Hashable {
        /// The name.
        public var name: String

        /// The value.
        public var value: String

        init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }
}

// MARK: - Reading and writing

extension HAR {
    /// Reads an archive.
    ///
    /// - Parameter data: The archive as UTF-8 text, with or without a byte order mark.
    /// - Throws: `RestClientError` with the code `invalidRecording`, which names the place, if the text is truncated or
    ///   is not an archive.
    public init(data: Data) throws(RestClientError) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = data.starts(with: mark) ? data.dropFirst(mark.count) : data
        do {
            try MarkRun.checkKeys(ofJSON: text)
            self = try JSONDecoder().decode(HARCoded<HAR>.self, from: Data(text)).value
        } catch {
            throw RestClientError(
                .invalidRecording,
                "the \(data.count) bytes are not an HTTP archive: \(DecodingReason.describe(error))",
                underlying: error
            )
        }
    }

    /// Reads the archive in a file.
    ///
    /// - Parameter file: The file.
    /// - Throws: `RestClientError` with the code `invalidRecording` if the file cannot be read, is truncated, or is not
    ///   an archive.
    public init(file: URL) throws(RestClientError) {
        do {
            try self.init(data: try Data(contentsOf: file))
        } catch let error as RestClientError {
            throw RestClientError(.invalidRecording, "'\(file.path)': \(error.message)", underlying: error.underlying)
        } catch {
            throw RestClientError(.invalidRecording, "the recording '\(file.path)' cannot be read", underlying: error)
        }
    }

    /// Returns the archive as UTF-8 text: indented and with sorted keys, so that changes are readable in a diff.
    ///
    /// - Returns: The text.
    /// - Throws: `RestClientError` with the code `invalidRecording` if a number in the archive is not finite.
    public func data() throws(RestClientError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(HARCoded(self))
        } catch {
            throw RestClientError(.invalidRecording, "the archive cannot be written", underlying: error)
        }
    }

    /// Writes the archive to a file that only its owner may read, unless something in it looks like a secret.
    package func write(to file: URL, rules: RecordingRules) throws(RestClientError) {
        try rules.check(self)
        let data = try data()
        do {
            try PrivateFile.save(data, to: file)
        } catch {
            throw RestClientError(
                .invalidRecording,
                "the recording '\(file.path)' cannot be written",
                underlying: error
            )
        }
    }
}

// MARK: - Coding

extension HAR: HARCodable {
    private enum CodingKeys: String, CodingKey {
        case log
    }

    private enum LogKeys: String, CodingKey {
        case version, creator, entries
    }

    init(from decoder: any Decoder) throws {
        let log = try decoder.container(keyedBy: CodingKeys.self)
            .nestedContainer(keyedBy: LogKeys.self, forKey: .log)
        creator = (try? log.decode(Creator.self, forKey: .creator)) ?? Creator(name: "unknown", version: "")
        entries = try log.decode([Entry].self, forKey: .entries)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        var log = container.nestedContainer(keyedBy: LogKeys.self, forKey: .log)
        try log.encode("1.2", forKey: .version)
        try log.encode(creator, forKey: .creator)
        try log.encode(entries, forKey: .entries)
    }
}

extension HAR.Field: HARCodable {
    private enum CodingKeys: String, CodingKey {
        case name, value
    }

    /// A field without a value has an empty one.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        value = try container.decodeIfPresent(String.self, forKey: .value) ?? ""
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(value, forKey: .value)
    }
}
