// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import Testing

@testable import RestClientRecording

/// An archive that another tool made contains the secrets of its exchanges; what is printed of it does not.
@Suite
struct HARDescriptionTests {
    private static let fields = [
        HAR.Field("Cookie", "session=s3cret"), HAR.Field("Ocp-Apim-Subscription-Key", "s3cret"),
        HAR.Field("Location", "/?token=s3cret"), HAR.Field("not a name: token", "s3cret"), HAR.Field("X-Own", "seen"),
    ]

    private static var archive: HAR {
        let body = HAR.Body(Data("s3cret".utf8), mimeType: "text/plain")
        var entry = HAR.Entry(
            startedAt: Date(timeIntervalSince1970: 0),
            request: HAR.Request(
                method: "GET",
                url: "https://kim:s3cret@a.example/?page=2&sig=s3cret",
                headers: fields,
                body: body
            ),
            response: HAR.Response(status: 200, headers: fields, body: body)
        )
        entry.webSocketMessages = [
            HAR.WebSocketMessage(
                isSent: true,
                time: Date(timeIntervalSince1970: 0),
                isText: true,
                bytes: Data("s3cret".utf8)
            )
        ]
        entry.webSocketEnd = HAR.WebSocketEnd(code: 1008, reason: "see https://a/?code=s3cret", isByServer: true)
        return HAR(entries: [entry])
    }

    @Test
    func `nothing of an archive shows a secret when it is printed`() throws {
        let entry = try #require(Self.archive.entries.first)
        let drift = RecordingDrift(index: 0, request: entry.request, differences: ["status: was 1, is 2"])
        let values: [(value: Any, visible: String)] = [
            (Self.archive, "1 exchanges"), (entry, "a.example/?page=2"), (entry.request, "X-Own: seen"),
            (entry.response, "200"), (entry.request.headers, "X-Own: seen"), (entry.response.body, "6 bytes"),
            (entry.webSocketMessages ?? [], "sent text of 6 bytes"), (drift, "status: was 1, is 2"),
            (entry.webSocketEnd as Any, "closed by the server with 1008"),
        ]
        for (value, visible) in values {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                #expect(!text.contains("s3cret"), "\(text)")
                #expect(text.contains(visible), "\(text)")
            }
        }
        #expect(String(decoding: try Self.archive.data(), as: UTF8.self).contains("s3cret"))
    }
}
