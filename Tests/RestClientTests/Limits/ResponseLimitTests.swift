// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SharedStore
import TestSupport
import Testing

@testable import RestClient

@Suite
struct ResponseLimitTests {
    private static func response(fields: Int, bytes: Int = 10) -> RawResponse {
        var response = RawResponse.status(.ok)
        for index in 0..<fields {
            if let name = HTTPField.Name("X-\(index % 10)") {
                response.headers.append(HTTPField(name: name, value: String(repeating: "v", count: bytes - 3)))
            }
        }
        return response
    }

    @Test(arguments: [(5, 50, true), (6, 60, true), (7, 70, false)])
    func `a header with more fields than allowed fails the call`(fields: Int, bytes: Int, isAllowed: Bool) async {
        let client = StubbedClient(answering: Self.response(fields: fields))
        let node = client.manager.request(Void.self).endpoint("/a")
        for limited in [node.limits(headerFields: 6), node.limits(headerBytes: 60)] {
            let response: Response<Void>? = try? await limited.response()
            #expect((response != nil) == isAllowed)
        }
    }

    @Test
    func `the error names the exceeded limit, and the option that raises it`() async {
        let client = StubbedClient(answering: Self.response(fields: 7))
        let error = await client.failure { $0.endpoint("/a").limits(headerFields: 6) }
        #expect(error?.code == .headerTooLarge)
        #expect(error?.message.contains("7") == true)
        #expect(error?.message.contains("limits(headerFields:headerBytes:)") == true)
    }

    @Test
    func `the header of a redirect is limited too`() async {
        var redirect = Self.response(fields: 7)
        redirect.status = .found
        redirect.headers[.location] = "/b"
        let client = StubbedClient(answering: redirect, .status(.ok))
        let error = await client.failure { $0.endpoint("/a").limits(headerFields: 6) }
        #expect(error?.code == .headerTooLarge)
        #expect(client.requests.count == 1)
    }

    @Test
    func `a call can lift the limit of its server`() async throws {
        let client = StubbedClient(answering: Self.response(fields: 7))
        client.manager.servers["store"] = Server("https://api.example.com/v1").limits(headerFields: 1)
        let error = await client.failure { $0.endpoint("/a") }
        #expect(error?.code == .headerTooLarge)
        try await client.manager.request(Void.self).endpoint("/a").limits(headerFields: .max).send()
    }

    @Test
    func `the transport receives the limits that only it can enforce`() async throws {
        let request = try await sent {
            $0.endpoint("/a").timeouts(firstByte: .seconds(3), idle: .seconds(4)).limits(decompression: 50)
        }
        #expect(request.firstByteTimeout == .seconds(3))
        #expect(request.idleTimeout == .seconds(4))
        #expect(request.decompressionLimit == 50)
        let plain = try await sent { $0.endpoint("/a") }
        #expect(plain.firstByteTimeout == nil)
        #expect(plain.idleTimeout == nil)
        #expect(plain.decompressionLimit == nil)
    }

    @Test(arguments: [
        (2, 100, 65_536), (1_000, 100, 100_000), (2, 1 << 20, 2 << 20), (0, 1 << 20, 1 << 20), (.max, 9, .max),
    ])
    func `the decompressed length is limited by the length on the wire`(factor: Int, wire: Int, limit: Int) {
        #expect(ContentCoding.limit(factor, wireCount: wire) == limit)
    }

    @Test(arguments: [(0, 4_096), (64, 4_161), (6_400, 10_596), (.max / 2 + 1, .max / 2 + 1), (.max, .max)])
    func `a coded body may be a little longer on the wire`(limit: Int, wire: Int) {
        #expect(ContentCoding.wireLimit(limit) == wire)
    }

    @Test
    func `a whole body loses its codings by the rules of a streamed one`() throws {
        let text = Data("text".utf8)
        let coded = try Deflater.compress(Deflater.compress(text))
        func decoded(_ codings: String, status: Int = 200) throws -> Data {
            try ContentCoding.decode(coded, [codings], status: status, limit: 100, factor: nil)
        }

        #expect(try decoded("gzip, gzip") == text)
        #expect(try decoded("exi, gzip") == Deflater.compress(text))
        #expect(try decoded("gzip, gzip", status: 206) == coded)
        let error = #expect(throws: RestClientError.self) { try decoded("gzip, gzip, gzip, gzip, gzip") }
        #expect(error?.code == .unsupportedContentCoding)
    }
}
