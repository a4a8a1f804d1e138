// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient
import RestEssentials
import Testing

@testable import RestClientRecording

/// The header fields of a replayed response are those that a server would send with it.
@Suite
struct ReplayedFieldsTests {
    private static let wire: [HAR.Field] = [
        HAR.Field("Content-Length", "9"), HAR.Field("Transfer-Encoding", "chunked"), HAR.Field("ETag", "\"v1\""),
        HAR.Field("Age", "3"),
    ]

    private func replayed(
        _ method: String,
        _ status: Int,
        _ body: String,
        _ fields: [HAR.Field] = wire
    ) throws -> RawResponse {
        try HAR.Response(
            status: status,
            statusText: "",
            httpVersion: "HTTP/1.1",
            headers: fields,
            body: HAR.Body(Data(body.utf8), mimeType: "text/plain")
        )
        .rawResponse(to: method)
    }

    @Test(arguments: [("HEAD", 200), ("GET", 304), ("DELETE", 204)])
    func `a response without a body keeps all fields`(method: String, status: Int) throws {
        let response = try replayed(method, status, "invented", Self.wire + [HAR.Field("Content-Encoding", "gzip")])

        #expect(response.headers[.contentLength] == "9")
        #expect(response.headers[.contentEncoding] == "gzip")
        #expect(response.headers[.transferEncoding] == "chunked")
        #expect(response.headers[.eTag] == "\"v1\"")
        #expect(response.body.isEmpty)
    }

    @Test(arguments: [("123456789", "9"), ("masked", nil)])
    func `a body keeps its length unless it was masked`(body: String, length: String?) throws {
        let response = try replayed("GET", 200, body)

        #expect(response.headers[.contentLength] == length)
        #expect(response.headers[.transferEncoding] == nil)
        #expect(response.headers[.age] == "3")
        #expect(String(decoding: response.body, as: UTF8.self) == body)
    }

    @Test
    func `a decoded body has no fields of the coded one`() throws {
        let response = try replayed("GET", 200, "123456789", Self.wire + [HAR.Field("Content-Encoding", "gzip")])

        #expect(response.headers[.contentLength] == nil)
        #expect(response.headers[.contentEncoding] == nil)
    }
}
