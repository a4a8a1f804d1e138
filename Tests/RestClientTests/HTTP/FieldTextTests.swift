// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import Testing

@testable import RestClient

/// Bytes of fields that are not UTF-8 (RFC 9110, section 5.5) survive wherever a field is kept or sent back.
struct FieldTextTests {
    /// Latin-1, a truncated character, U+FFFD itself, the characters that represent bytes, and none of these.
    private static let values: [[UInt8]] = [
        Array("\"caf".utf8) + [0xE9, 0x22], [0x61, 0xC3], [0x80, 0xFF, 0xC3, 0xA9], Array("a\u{FFFD}b".utf8),
        Array("\u{10FF80}\u{10FFFF}".utf8), [0xF4, 0x8F, 0xBF], Array("\"é\"".utf8), Array("\"a\"".utf8),
    ]

    private static func bytes(of field: HTTPField) -> [UInt8] {
        unsafe field.withUnsafeBytesOfValue { unsafe Array($0) }
    }

    @Test(arguments: values)
    func `the text of a value gives its bytes back`(value: [UInt8]) {
        let field = HTTPField(name: .eTag, value: value)

        let again = HTTPField(name: .eTag, text: field.text)

        #expect(Self.bytes(of: again) == value)
        #expect(FieldText.bytes(of: FieldText.text(of: value)) == value)
        let text = String(validating: value, as: UTF8.self)
        let isOther = text?.unicodeScalars.contains { $0.value >= 0x10_FF80 } ?? true
        #expect(isOther || text == field.text)
    }

    @Test(arguments: [values[0], values[2], values[6]])
    func `a tag is sent back as it came`(value: [UInt8]) {
        let validators = Validators(HTTPFields([HTTPField(name: .eTag, value: value)]))

        let fields = Preconditions.validating(validators)

        #expect(fields[fields: .ifNoneMatch].map(Self.bytes) == [value])
        #expect(validators.areConfirmed(by: validators))
    }

    @Test
    func `tags with other bytes are other tags`() {
        let (one, other) = (
            Validators(HTTPFields([HTTPField(name: .eTag, value: [0x22, 0xE9, 0x22] as [UInt8])])),
            Validators(HTTPFields([HTTPField(name: .eTag, value: [0x22, 0xE8, 0x22] as [UInt8])]))
        )

        #expect(!one.areConfirmed(by: other))
    }

    @Test
    func `a tag that a transport has read as UTF-8 is not sent back`() {
        let validators = Validators([.eTag: "\"caf\u{FFFD}\""])

        #expect(validators.isEmpty)
    }

    @Test
    func `a cookie is sent back as it came`() throws {
        let url = try HTTPURL("https://example.com/")
        var store = CookieStore(.common)
        let line = HTTPField(name: .setCookie, value: Array("a=caf".utf8) + [0xE9])

        store.take([line.text], from: url, at: Date())
        let field = HTTPField(name: .cookie, text: try #require(try store.field(for: url, at: Date())))

        #expect(Self.bytes(of: field) == Array("a=caf".utf8) + [0xE9])
    }

    @Test
    func `a reference has the bytes of the field, percent-encoded`() throws {
        let field = HTTPField(name: .location, value: Array("/caf".utf8) + [0xE9, 0x2F] + Array("é".utf8))

        let url = try HTTPURL(field.reference, relativeTo: HTTPURL("https://example.com/"))

        #expect(url.textForSending == "https://example.com/caf%E9/%C3%A9")
    }

    @Test
    func `fields are compared by their bytes, whatever the order of their names`() {
        func fields(_ pairs: (HTTPField.Name, [UInt8])...) -> [UInt8] {
            HTTPFields(pairs.map { HTTPField(name: $0.0, value: $0.1) }).bytes
        }
        let (composed, decomposed) = (Array("\u{E9}".utf8), Array("e\u{301}".utf8))

        #expect(fields((.cookie, [0x80])) != fields((.cookie, [0x81])))
        #expect(fields((.cookie, composed)) != fields((.cookie, decomposed)))
        #expect(fields((.cookie, [0x80]), (.accept, [0x61])) == fields((.accept, [0x61]), (.cookie, [0x80])))
        #expect(fields((.accept, [0x61]), (.accept, [0x62])) != fields((.accept, [0x62]), (.accept, [0x61])))
    }
}
