// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite(.timeLimit(.minutes(5)))
struct TextDecodingTests {
    private static func response(_ bytes: [UInt8], _ contentType: String?) -> RawResponse {
        var headers: HTTPFields = [:]
        headers[.contentType] = contentType
        return RawResponse(headers: headers, body: Data(bytes))
    }

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    static let texts: [(String?, [UInt8], String)] = [
        (nil, Array("café".utf8), "café"),
        ("text/plain", Array("café".utf8), "café"),
        ("text/plain; charset=utf-8", Array("café".utf8), "café"),
        ("text/plain;charset=UTF8", Array("café".utf8), "café"),
        ("text/plain; charset=", Array("café".utf8), "café"),
        ("text/plain; format=flowed; Charset = \"ISO-8859-1\"", [0x63, 0xE9], "cé"),
        ("text/plain; charset='latin1'", [0x63, 0xE9], "cé"),
        ("text/plain; charset=us-ascii", Array("cafe".utf8), "cafe"),
        // Both are read as windows-1252, as the Encoding standard says.
        ("text/plain; charset=us-ascii", [0x80], "€"),
        ("text/plain; charset=iso-8859-1", [0x93, 0x61, 0x94, 0xFF], "“a”ÿ"),
        ("text/plain; charset=windows-1252", [0x80, 0x81, 0x9F, 0xA4, 0xE9], "€\u{81}Ÿ¤é"),
        ("text/plain; charset=iso-8859-15", [0xA4, 0xA6, 0xBE, 0xE9, 0x80], "€ŠŸé\u{80}"),
        ("text/plain; charset=utf-16", [0x61, 0x00, 0x3D, 0xD8, 0x00, 0xDE], "a😀"),
        ("text/plain; charset=utf-16le", [0xE9, 0x00], "é"),
        ("text/plain; charset=utf-16be", [0x00, 0xE9, 0xD8, 0x3D, 0xDE, 0x00], "é😀"),
        // A byte order mark is not part of the text, and outranks the parameter.
        ("text/plain; charset=utf-8", mark + Array("hello".utf8), "hello"),
        (nil, mark + Array("hello".utf8), "hello"),
        (nil, mark, ""),
        ("text/plain; charset=utf-16", [0xFE, 0xFF, 0x00, 0x61], "a"),
        ("text/plain; charset=utf-16", [0xFF, 0xFE, 0x61, 0x00], "a"),
        ("text/plain; charset=utf-16be", [0xFF, 0xFE, 0x61, 0x00], "a"),
        ("text/plain; charset=iso-8859-1", mark + Array("é".utf8), "é"),
        ("text/plain", [0xFF, 0xFE, 0x61, 0x00], "a"),
        ("text/plain", Array("a".utf8) + mark, "a\u{FEFF}"),
        ("text/plain; charset=iso-8859-1", [], ""),
        // Of a field that comes twice, the last one counts.
        ("text/plain; charset=utf-8, text/plain; charset=iso-8859-1", [0xE9], "é"),
        ("application/octet-stream, text/plain; charset=\"utf-8\"", Array("café".utf8), "café"),
    ]

    @Test
    func `JSON is read in UTF-16 without a mark, and of a type that comes twice`() async throws {
        let wide = "[1]".utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        let client = StubbedClient(answering: Self.response(wide, "application/json; charset=utf-16le"))
        #expect(try await client.manager.request([Int].self).endpoint("/a").send() == [1])

        let text = Self.response(Array("\"a\"".utf8), "application/json, application/json")
        let twice = StubbedClient(answering: text)
        #expect(try await twice.manager.request(String.self).endpoint("/a").send() == "a")
    }

    @Test(arguments: [true, false])
    func `no value that is compared or hashed holds a long run of marks, with a byte order mark or without`(
        hasMark: Bool
    ) async throws {
        enum Kind: String, Decodable { case one }
        let marks = String(repeating: "\u{315}\u{300}\u{5AE}\u{59A}", count: 100)
        let bytes = (hasMark ? Self.mark : []) + Array("[\"x\(marks)\"]".utf8)
        let client = StubbedClient(answering: Self.response(bytes, "application/json"))

        let kinds = client.manager.request([Kind].self).endpoint("/a")
        let names = client.manager.request(Set<String>.self).endpoint("/a")
        for error in [
            await #expect(throws: RestClientError.self) { try await kinds.send() },
            await #expect(throws: RestClientError.self) { try await names.send() },
        ] {
            #expect(error?.code == .decodingFailed)
        }
    }

    @Test(arguments: texts.indices)
    func `a text is read in the encoding that it has`(index: Int) async throws {
        let (contentType, bytes, text) = Self.texts[index]
        let client = StubbedClient(answering: Self.response(bytes, contentType))
        let node = client.manager.request(String.self).endpoint("/a")

        #expect(try await node.send() == text)
        #expect(try await node.dogma(.raw).send() == text)
        #expect(try await client.manager.request(String?.self).endpoint("/a").send() == (text.isEmpty ? nil : text))
        #expect(try await client.manager.request(Data.self).endpoint("/a").send() == Data(bytes))
    }

    @Test(arguments: texts.indices, [1, 2, 3, 100])
    func `lines of a stream are read in the encoding that they have, in chunks of any size`(
        index: Int,
        size: Int
    ) throws {
        let (contentType, bytes, text) = Self.texts[index]
        var lines = LineText(contentType: contentType, limit: 100)
        var found: [String] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            lines.receive(Data(bytes[start..<min(start + size, bytes.count)]))
            while let line = try lines.next() {
                found.append(line)
            }
        }
        while let line = try lines.finish() {
            found.append(line)
        }

        #expect(found == (text.isEmpty ? [] : [text]))
    }

    @Test
    func `lines in UTF-16 end with a line feed of two bytes`() throws {
        var lines = LineText(contentType: "text/plain; charset=utf-16be", limit: 100)
        lines.receive(Data([0x00, 0x61, 0x00, 0x0A, 0x0A, 0x62]))
        lines.receive(Data([0x00, 0x0D, 0x00, 0x0A, 0xD8]))

        #expect(try lines.next() == "a")
        #expect(try lines.next() == "\u{0A62}")
        #expect(try lines.next() == nil)
        #expect(try lines.finish() == "\u{FFFD}")
        #expect(try lines.finish() == nil)
    }

    @Test(arguments: [
        ("text/plain; charset=koi8-r", [0xC1], "'koi8-r'"), ("text/plain; charset=utf-32", [0x61], "'utf-32'"),
        ("text/plain", [0xE9], "UTF-8"), ("text/plain; charset=utf-8", [0x61, 0xE9], "UTF-8"),
        ("text/plain; charset=utf-16", [0x61], "UTF-16"), ("text/plain; charset=utf-16le", [0x3D, 0xD8], "UTF-16"),
    ])
    func `a text that cannot be read is an error that says why`(
        contentType: String,
        bytes: [UInt8],
        word: String
    ) async throws {
        let client = StubbedClient(answering: Self.response(bytes, contentType))
        for node in [
            client.manager.request(String.self).endpoint("/a"),
            client.manager.request(String.self).endpoint("/a").dogma(.raw),
        ] {
            let error = await #expect(throws: RestClientError.self) { try await node.send() }
            #expect(error?.code == .decodingFailed)
            #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
            #expect(error?.response?.body == Data(bytes))
        }
    }

    @Test
    func `lines with an unknown charset are an error that names it`() {
        var lines = LineText(contentType: "text/plain; charset=koi8-r", limit: 100)
        lines.receive(Data([0xC1, 0x0A]))

        let error = #expect(throws: RestClientError.self) { try lines.next() }
        #expect(error?.code == .decodingFailed)
        #expect(error?.message.contains("'koi8-r'") == true)
    }

    @Test(
        arguments: [
            ("application/json", true), ("Application/JSON; charset=utf-8", true), ("text/json", true),
            ("application/problem+json", true), ("application/ld+JSON;profile=\"a;b\"", true),
            ("application/x-ndjson", false), ("application/json-seq", false), ("application/jsonl", false),
            ("application/json5", false), ("text/plain; format=json", false), ("application/x-json-lines", false),
            ("text/x-json", false), ("", false), ("json", false),
        ] as [(String, Bool)]
    )
    func `JSON is what has its media type`(contentType: String, isJSON: Bool) async throws {
        let client = StubbedClient(answering: Self.response(Array(#""a""#.utf8), contentType))

        #expect(try await client.manager.request(String.self).endpoint("/a").send() == (isJSON ? "a" : #""a""#))
    }

    @Test(arguments: [
        ("application/json; charset=iso-8859-1", [0xE9]), ("application/json; charset=iso-8859-1", [0xC3, 0xA9]),
        ("application/json; charset=utf-16", [0xC3, 0xA9]), ("application/json", [0xC3, 0xA9]),
    ])
    func `JSON is UTF-8 if it can be, whatever its charset`(contentType: String, letter: [UInt8]) async throws {
        let bytes = Array(#"{"a":"caf"#.utf8) + letter + Array(#""}"#.utf8)
        let client = StubbedClient(answering: Self.response(bytes, contentType))

        #expect(try await client.manager.request([String: String].self).endpoint("/a").send() == ["a": "café"])
    }

    @Test
    func `JSON in UTF-16 is read, with a mark and without`() async throws {
        let units = Array(#"{"a":"café"}"#.utf16)
        let bytes = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        for body in [bytes, [0xFF, 0xFE] + bytes] {
            let client = StubbedClient(answering: Self.response(body, "application/json; charset=utf-16"))
            #expect(try await client.manager.request([String: String].self).endpoint("/a").send() == ["a": "café"])
        }
    }

    @Test
    func `the text of an error's body is read in its charset`() {
        let response = Self.response([0x63, 0xE9], "text/plain; charset=iso-8859-1")
        let json = Self.response(Array(#""a""#.utf8), "application/json")

        #expect(RestClientError(.unacceptableStatus, "", response: response).decodedBody(as: String.self) == "cé")
        #expect(RestClientError(.unacceptableStatus, "", response: json).decodedBody(as: String.self) == "a")
    }
}
