// SPDX-License-Identifier: MIT

public import RestEssentials

/// Recorded traffic in the HTTP Archive format, version 1.2, which browsers' network panels read and write.
///
/// It is read tolerantly: members that are missing are empty, and members of other tools are passed over. It is written with
/// every member that the format requires.
public struct HAR: Sendable, Hashable {
    /// The program that wrote the archive.
    public var creator: Creator

    /// The exchanges, in the order in which they began.
    public var entries: [Entry]

    /// Creates an archive.
    ///
    /// - Parameters:
    ///   - entries: The exchanges, in the order in which they began.
    ///   - creator: The program that writes the archive; this library by default.
    public init(entries: [Entry] = [], creator: Creator = .restClient) {
        self.creator = creator
        self.entries = entries
    }

    /// The program that wrote an archive.
    public struct Creator: Sendable, Hashable, Codable {
        /// The program's name.
        public var name: String

        /// The program's version.
        public var version: String

        /// Creates the description of a program.
        ///
        /// - Parameters:
        ///   - name: The program's name.
        ///   - version: The program's version.
        public init(name: String, version: String) {
            self.name = name
            self.version = version
        }

        /// This library.
        public static let restClient = Creator(name: "swift-rest-client", version: "1")
    }

    /// A name and a value: a header field, an item of a query, or a field of a form.
    public struct Field: Sendable, Hashable, Codable {
        /// The name.
        public var name: String

        /// The value.
        public var value: String

        /// Creates a field.
        ///
        /// - Parameters:
        ///   - name: The name.
        ///   - value: The value.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }

        private enum CodingKeys: String, CodingKey {
            case name, value
        }

        /// Reads a field; one without a value has an empty one.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.decode(String.self, forKey: .name)
            value = try container.decodeIfPresent(String.self, forKey: .value) ?? ""
        }
    }
}

// MARK: - Reading and writing

extension HAR: Codable {
    private enum CodingKeys: String, CodingKey {
        case log
    }

    private enum LogKeys: String, CodingKey {
        case version, creator, entries
    }

    /// Reads an archive.
    public init(from decoder: any Decoder) throws {
        let log = try decoder.container(keyedBy: CodingKeys.self)
            .nestedContainer(keyedBy: LogKeys.self, forKey: .log)
        creator = (try? log.decode(Creator.self, forKey: .creator)) ?? Creator(name: "unknown", version: "")
        entries = try log.decode([Entry].self, forKey: .entries)
    }

    /// Writes the archive.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        var log = container.nestedContainer(keyedBy: LogKeys.self, forKey: .log)
        try log.encode("1.2", forKey: .version)
        try log.encode(creator, forKey: .creator)
        try log.encode(entries, forKey: .entries)
    }

    /// Reads an archive.
    ///
    /// - Parameter data: The text of the archive, in UTF-8, with or without a byte order mark.
    /// - Throws: ``RestClientError`` with the code ``RestClientError/Code-swift.struct/invalidRecording`` that names the place
    ///   when the text is cut off, or is no archive.
    public init(data: Data) throws(RestClientError) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = data.starts(with: mark) ? data.dropFirst(mark.count) : data
        do {
            self = try JSONDecoder().decode(HAR.self, from: Data(text))
        } catch {
            throw RestClientError(
                .invalidRecording,
                "the \(data.count) bytes are no HTTP archive: \(DecodingReason.describe(error))",
                underlying: error
            )
        }
    }

    /// The text of the archive, in UTF-8: indented, and with sorted keys, so that changes of it can be compared.
    ///
    /// - Returns: The text.
    /// - Throws: ``RestClientError`` with the code ``RestClientError/Code-swift.struct/invalidRecording`` when a number in it
    ///   is none.
    public func data() throws(RestClientError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(self)
        } catch {
            throw RestClientError(.invalidRecording, "the archive cannot be written", underlying: error)
        }
    }
}
