// SPDX-License-Identifier: MIT

public import HTTPTypes
public import RestEssentials

extension DummyResponse {
    /// Returns a response whose body comes in chunks, with a pause before each.
    ///
    /// `stream()` delivers the chunks one by one; other calls wait for all of them.
    ///
    /// - Parameters:
    ///   - chunks: The chunks; empty ones are left out.
    ///   - interval: The pause; none by default.
    ///   - contentType: The media type; `application/octet-stream` by default.
    ///   - headers: The header fields. They take precedence over `contentType`.
    /// - Returns: The response.
    public static func stream(
        _ chunks: [Data],
        every interval: Duration = .zero,
        contentType: String = "application/octet-stream",
        headers: HTTPFields = [:]
    ) -> DummyResponse {
        let chunks = chunks.filter { !$0.isEmpty }
        var response = bytes(chunks.joined(), contentType: contentType, headers: headers)
        response.chunks = Chunks(sizes: chunks.map(\.count), interval: interval)
        return response
    }

    /// Returns a stream of server-sent events, each in a separate chunk, with a pause before each.
    ///
    /// - Parameters:
    ///   - events: The events; their identifiers are sent where they change.
    ///   - interval: The pause; none by default.
    /// - Returns: The response.
    public static func serverSentEvents(
        _ events: [ServerSentEvent],
        every interval: Duration = .zero
    ) -> DummyResponse {
        var lastEventID = ""
        let chunks = events.map { event in
            var lines = event.type == "message" ? [] : ["event: \(event.type)"]
            if event.lastEventID != lastEventID {
                lastEventID = event.lastEventID
                lines.append("id: \(lastEventID)")
            }
            lines += event.data.split(separator: "\n", omittingEmptySubsequences: false).map { "data: \($0)" }
            return Data((lines.joined(separator: "\n") + "\n\n").utf8)
        }
        return stream(chunks, every: interval, contentType: "text/event-stream")
    }
}
