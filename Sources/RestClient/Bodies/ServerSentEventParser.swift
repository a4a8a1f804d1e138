// SPDX-License-Identifier: MIT

import RestEssentials

/// Parses server-sent events from the bytes of one response, by the HTML standard (section "Interpreting an event
/// stream"): a pure value.
///
/// An incomplete event at the end of the response is dropped with the parser, as the standard requires.
struct ServerSentEventParser: Sendable {
    /// The identifier of the last event, with which a new request continues; empty if there is none.
    ///
    /// It changes with the empty line that ends an event, so that an incomplete event does not count as received.
    private(set) var lastEventID: String
    private(set) var reconnectionTime: Duration?

    private var lines: LineSplitter
    private var mark = ByteOrderMark()
    private let limit: Int
    private var failure: RestClientError?

    // The buffers of the standard.
    private var data = Data()
    private var hasData = false
    private var type = ""
    private var nextEventID: String

    init(lastEventID: String = "", limit: Int = 16 << 20) {
        self.lastEventID = lastEventID
        self.limit = limit
        nextEventID = lastEventID
        lines = LineSplitter(.any, limit: limit)
    }

    mutating func receive(_ chunk: Data) {
        lines.receive(mark.removed(from: chunk))
    }

    mutating func next() throws(RestClientError) -> ServerSentEvent? {
        if let failure {
            throw failure
        }
        while let line = try lines.next() {
            if line.isEmpty {
                if let event = dispatch() {
                    return event
                }
            } else {
                try read(line)
            }
        }
        return nil
    }

    // MARK: - Rules

    private mutating func dispatch() -> ServerSentEvent? {
        lastEventID = nextEventID
        defer {
            data = Data()
            hasData = false
            type = ""
        }
        let text = String(decoding: data, as: UTF8.self)
        return hasData
            ? ServerSentEvent(type: type.isEmpty ? "message" : type, data: text, lastEventID: lastEventID) : nil
    }

    private mutating func read(_ line: Data) throws(RestClientError) {
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") {
            value = value.dropFirst()
        }
        // A line that begins with a colon is a comment: its field has no name.
        switch FieldList.name(line[..<colon]) {
        case "data":
            guard data.count + (hasData ? 1 : 0) + value.count <= limit else {
                let error = RestClientError(.lineTooLong, "an event of the response has more than \(limit) bytes")
                failure = error
                throw error
            }
            if hasData {
                data.append(.lineFeed)
            }
            data.append(value)
            hasData = true
        case "event":
            type = String(decoding: value, as: UTF8.self)
        case "id" where !value.contains(0):
            nextEventID = String(decoding: value, as: UTF8.self)
        case "retry":
            reconnectionTime = Self.time(value) ?? reconnectionTime
        default:
            break
        }
    }

    /// Returns a time in milliseconds, written in ASCII digits only; `nil` for everything else.
    private static func time(_ digits: Data) -> Duration? {
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        // Limited to about a century, which no calculation exceeds.
        return Int64(String(decoding: digits, as: UTF8.self)).map { .milliseconds(min($0, 3_000_000_000_000)) }
    }
}
