// SPDX-License-Identifier: MIT

public import RestEssentials

extension HAR {
    /// One exchange.
    public struct Entry: Sendable, Hashable {
        /// The time at which the exchange began.
        public var startedAt: Date

        /// The request.
        public var request: Request

        /// The response.
        public var response: Response
        var timings = Timings()

        package var webSocketMessages: [WebSocketMessage]?
        /// The end of the WebSocket; `nil` if that is not known.
        package var webSocketEnd: WebSocketEnd?
    }

    /// The phases of an exchange, in milliseconds; -1 for one that does not apply.
    struct Timings: Sendable, Hashable, Codable {
        var blocked = -1.0
        var dns = -1.0
        /// Connecting, including the TLS handshake.
        var connect = -1.0
        var send = 0.0
        var wait = 0.0
        var receive = 0.0
        /// The TLS handshake, which is part of `connect` too.
        var ssl = -1.0

        /// The sum of the phases; the handshake counts once.
        var total: Double {
            max(0, blocked) + max(0, dns) + max(0, connect) + send + wait + receive
        }
    }
}

// MARK: - Coding

extension HAR.Entry: HARCodable {
    private enum CodingKeys: String, CodingKey {
        case startedDateTime, time, request, response, cache, timings
        case webSocketMessages = "_webSocketMessages"
        case webSocketEnd = "_webSocketEnd"
    }

    private struct Empty: Codable {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let text = try container.decode(String.self, forKey: .startedDateTime)
        guard let date = Self.date(text) else {
            throw DecodingError.dataCorruptedError(
                forKey: .startedDateTime,
                in: container,
                debugDescription: "not a date in ISO 8601 format"
            )
        }
        startedAt = date
        request = try container.decode(HAR.Request.self, forKey: .request)
        response = try container.decode(HAR.Response.self, forKey: .response)
        timings = try container.decodeIfPresent(HAR.Timings.self, forKey: .timings) ?? HAR.Timings()
        webSocketMessages = try container.decodeIfPresent([HAR.WebSocketMessage].self, forKey: .webSocketMessages)
        // Other tools may write something else there.
        webSocketEnd = try? container.decodeIfPresent(HAR.WebSocketEnd.self, forKey: .webSocketEnd)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        // The style cuts what is less than a millisecond: half of one makes it round, or times would wander back.
        try container.encode(style.format(startedAt.addingTimeInterval(0.0005)), forKey: .startedDateTime)
        try container.encode(timings.total, forKey: .time)
        try container.encode(request, forKey: .request)
        try container.encode(response, forKey: .response)
        try container.encode(Empty(), forKey: .cache)
        try container.encode(timings, forKey: .timings)
        try container.encodeIfPresent(webSocketMessages.map { HARCoded($0) }, forKey: .webSocketMessages)
        try container.encodeIfPresent(webSocketEnd, forKey: .webSocketEnd)
    }

    /// Parses a date as tools write it: in any time zone, with or without fractions of a second of any length.
    static func date(_ text: String) -> Date? {
        var text = text
        var fraction = 0.0
        if let point = text.firstIndex(of: ".") {
            let digits = text[text.index(after: point)...].prefix { $0.isASCII && $0.isNumber }
            fraction = Double("0.\(digits)") ?? 0
            text.removeSubrange(point..<digits.endIndex)
        }
        let styles = [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(timeZoneSeparator: .colon)]
        return styles.lazy.compactMap { try? $0.parse(text) }.first?.addingTimeInterval(fraction)
    }
}

extension HAR.Timings {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func time(_ key: CodingKeys, or missing: Double) throws -> Double {
            try container.decodeIfPresent(Double.self, forKey: key).flatMap { $0 < 0 ? nil : $0 } ?? missing
        }
        self.init(
            blocked: try time(.blocked, or: -1),
            dns: try time(.dns, or: -1),
            connect: try time(.connect, or: -1),
            send: try time(.send, or: 0),
            wait: try time(.wait, or: 0),
            receive: try time(.receive, or: 0),
            ssl: try time(.ssl, or: -1)
        )
    }
}
