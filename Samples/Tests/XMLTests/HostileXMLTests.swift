// SPDX-License-Identifier: MIT

import Foundation
import RestClient
import RestClientXML
import Testing

/// Documents that would read files, fill the memory, end the process or change their meaning.
@Suite(.timeLimit(.minutes(5)))
struct HostileXMLTests {
    struct Value: Decodable, Sendable, Equatable { var b: String }

    private func decode(_ document: some Sequence<UInt8>) async throws -> Value {
        let manager = RestClientManager()
        let body = Data(document)
        manager.dogmas["xml"] = XMLDogma()
        manager.dummies.mode = .strict
        manager.dummies.register(.get, "/") { _ in .bytes(body, contentType: "text/xml") }
        return try await manager.request(Value.self).serverAddress("legacy.example.com").endpoint("/").dogma("xml")
            .send()
    }

    private func refusal(_ document: some Sequence<UInt8>) async -> String {
        let error = await #expect(throws: RestClientError.self) { try await decode(document) }
        #expect(error?.code == .decodingFailed)
        return error?.message ?? ""
    }

    /// Nine entities, each ten times the one before it.
    private static let laughs: String = {
        let entities = (1..<10)
            .map { level in
                "<!ENTITY l\(level) \"" + String(repeating: "&l\(level - 1);", count: 10) + "\">"
            }
        return "<!DOCTYPE a [<!ENTITY l0 \"lol\">\(entities.joined())]><a><b>&l9;</b></a>"
    }()

    @Test(arguments: [
        laughs,
        "<!DOCTYPE a [<!ENTITY x 'y'>]><a><b>&x;</b></a>",
        "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/hostname'>]><a><b>&x;</b></a>",
        "<!DOCTYPE a SYSTEM 'http://localhost:1/a.dtd'><a><b>1</b></a>",
        "<!-- x -->\n<!DOCTYPE a [<!ENTITY % p SYSTEM 'file:///etc/hostname'> %p;]><a><b>1</b></a>",
        "<!DOCTYPE a><a><b>1</b></a>",
    ])
    func `a document type is refused, and its entities with it`(document: String) async {
        #expect(await refusal(document.utf8).contains("document type"))
    }

    @Test(arguments: ["<a><b>&x;</b></a>", "<a><b c='&x;'>1</b></a>", "<a><b>a & b</b></a>"])
    func `a reference to an entity of the document is refused`(document: String) async {
        #expect(await refusal(document.utf8).contains("entity"))
    }

    @Test
    func `what looks like a document type is text where markup is`() async throws {
        let document = "<a><!-- <!DOCTYPE x> &x; --><b><![CDATA[<!DOCTYPE &x;]]></b><?p <!DOCTYPE x>?></a>"

        #expect(try await decode(document.utf8).b == "<!DOCTYPE &x;")
    }

    @Test(arguments: [128, 129, 100_000])
    func `elements are nested at most 128 levels deep`(depth: Int) async throws {
        let document =
            "<a><b>1</b>" + String(repeating: "<c>", count: depth - 1) + String(repeating: "</c>", count: depth - 1)
            + "</a>"
        guard depth > 128 else {
            #expect(try await decode(document.utf8) == Value(b: "1"))
            return
        }
        #expect(await refusal(document.utf8).contains("deep"))
    }

    @Test(arguments: [256, 257, 100_000])
    func `an element has at most 256 attributes`(count: Int) async throws {
        let attributes = (0..<count).map { "n\($0)='1'" }.joined(separator: " ")
        let document = "<a><c \(attributes)/><b>1</b></a>"
        guard count > 256 else {
            #expect(try await decode(document.utf8) == Value(b: "1"))
            return
        }
        #expect(await refusal(document.utf8).contains("attributes"))
    }

    @Test
    func `a text of very many pieces is refused`() async throws {
        let short = "<a><b>" + String(repeating: "&amp;", count: 1_000) + "</b></a>"
        #expect(try await decode(short.utf8).b == String(repeating: "&", count: 1_000))

        let long = "<a><b>" + String(repeating: "&amp;", count: 200_000) + "</b></a>"
        #expect(await refusal(long.utf8).contains("texts"))
    }

    @Test(arguments: ["UTF-16", "utf-7", "EBCDIC-CP-US", "IBM037"])
    func `an encoding that hides markup is refused`(name: String) async {
        let document = "<?xml version=\"1.0\" encoding = '\(name)'?><a><b>1</b></a>"

        #expect(await refusal(document.utf8).contains("encoding"))
    }

    @Test
    func `markup in other bytes than those of ASCII is refused`() async throws {
        let utf16 = try #require("<a><b>1</b></a>".data(using: .utf16LittleEndian))
        #expect(await refusal(utf16).contains("UTF-16"))

        // The beginning of '<?xm' in EBCDIC, by which a parser would detect it.
        #expect(await refusal([0x4C, 0x6F, 0xA7, 0x94] + Array("<a><b>1</b></a>".utf8)).contains("not XML"))
    }

    @Test(arguments: ["UTF-8", "us-ascii", "ISO-8859-1"])
    func `encodings whose markup is ASCII are decoded`(name: String) async throws {
        let document = "<?xml version=\"1.0\" encoding=\"\(name)\"?><a><b>1</b></a>"

        #expect(try await decode(document.utf8) == Value(b: "1"))
    }
}
