// SPDX-License-Identifier: MIT

public import RestEssentials

extension HAR {
    /// One exchange.
    public struct Entry: Sendable, Hashable {
        /// When the exchange began.
        public var startedAt: Date

        /// What was sent.
        public var request: Request

        /// What was answered.
        public var response: Response

        /// What the time went into.
        public var timings: Timings

        /// Creates an exchange.
        ///
        /// - Parameters:
        ///   - startedAt: When the exchange began.
        ///   - request: What was sent.
        ///   - response: What was answered.
        ///   - timings: What the time went into.
        public init(startedAt: Date, request: Request, response: Response, timings: Timings = Timings()) {
            self.startedAt = startedAt
            self.request = request
            self.response = response
            self.timings = timings
        }
    }

    /// What the time of an exchange went into, in milliseconds; `nil` for what does not apply.
    public struct Timings: Sendable, Hashable {
        /// Waiting for a connection that others used.
        public var blocked: Double?
        /// Looking up the host.
        public var dns: Double?
        /// Connecting, with the TLS handshake.
        public var connect: Double?
        /// Sending the request.
        public var send: Double
        /// Waiting for the response.
        public var wait: Double
        /// Receiving the response.
        public var receive: Double
        /// The TLS handshake, which is part of `connect` too.
        public var ssl: Double?

        /// Creates timings.
        ///
        /// - Parameters:
        ///   - blocked: Waiting for a connection that others used.
        ///   - dns: Looking up the host.
        ///   - connect: Connecting, with the TLS handshake.
        ///   - send: Sending the request.
        ///   - wait: Waiting for the response.
        ///   - receive: Receiving the response.
        ///   - ssl: The TLS handshake, which is part of `connect` too.
        public init(
            blocked: Double? = nil,
            dns: Double? = nil,
            connect: Double? = nil,
            send: Double = 0,
            wait: Double = 0,
            receive: Double = 0,
            ssl: Double? = nil
        ) {
            self.blocked = blocked
            self.dns = dns
            self.connect = connect
            self.send = send
            self.wait = wait
            self.receive = receive
            self.ssl = ssl
        }

        /// All of it; the handshake counts once.
        public var total: Double {
            (blocked ?? 0) + (dns ?? 0) + (connect ?? 0) + send + wait + receive
        }
    }
}

// MARK: - Codable

extension HAR.Entry: Codable {
    private enum CodingKeys: String, CodingKey {
        case startedDateTime, time, request, response, cache, timings
    }

    private struct Empty: Codable {}

    /// Reads an exchange.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let text = try container.decode(String.self, forKey: .startedDateTime)
        guard let date = Self.date(text) else {
            throw DecodingError.dataCorruptedError(
                forKey: .startedDateTime,
                in: container,
                debugDescription: "no date in the form of ISO 8601"
            )
        }
        startedAt = date
        request = try container.decode(HAR.Request.self, forKey: .request)
        response = try container.decode(HAR.Response.self, forKey: .response)
        timings = try container.decodeIfPresent(HAR.Timings.self, forKey: .timings) ?? HAR.Timings()
    }

    /// Writes the exchange.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        try container.encode(style.format(startedAt), forKey: .startedDateTime)
        try container.encode(timings.total, forKey: .time)
        try container.encode(request, forKey: .request)
        try container.encode(response, forKey: .response)
        try container.encode(Empty(), forKey: .cache)
        try container.encode(timings, forKey: .timings)
    }

    /// A date as tools write it: with or without fractions of a second, of any length, in any time zone.
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

extension HAR.Timings: Codable {
    private enum CodingKeys: String, CodingKey {
        case blocked, dns, connect, send, wait, receive, ssl
    }

    /// Reads timings; the format writes -1 for what does not apply.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func time(_ key: CodingKeys) throws -> Double? {
            try container.decodeIfPresent(Double.self, forKey: key).flatMap { $0 < 0 ? nil : $0 }
        }
        self.init(
            blocked: try time(.blocked),
            dns: try time(.dns),
            connect: try time(.connect),
            send: try time(.send) ?? 0,
            wait: try time(.wait) ?? 0,
            receive: try time(.receive) ?? 0,
            ssl: try time(.ssl)
        )
    }

    /// Writes the timings, with -1 for what does not apply.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(blocked ?? -1, forKey: .blocked)
        try container.encode(dns ?? -1, forKey: .dns)
        try container.encode(connect ?? -1, forKey: .connect)
        try container.encode(send, forKey: .send)
        try container.encode(wait, forKey: .wait)
        try container.encode(receive, forKey: .receive)
        try container.encode(ssl ?? -1, forKey: .ssl)
    }
}
