// SPDX-License-Identifier: MIT

import RestEssentials
import Testing

@testable import RestClient

@Suite
struct JSONValueTests {
    @Test(arguments: [
        "null", "true", "false", "0", "-7", "9223372036854775807", "1.5", #""text""#, "[]", "{}",
        #"[1,"1",true,null,[2],{"a":{"b":[3.5]}}]"#,
    ])
    func `any JSON text is decoded and encoded to the same text`(text: String) throws {
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        #expect(String(decoding: try encoder.encode(value), as: UTF8.self) == text)
    }

    @Test
    func `numbers, texts and Booleans are distinguished`() throws {
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(#"[1, "1", true, 1.5]"#.utf8))
        #expect(value == [1, "1", true, 1.5])
        #expect(JSONValue.int(1) != .string("1"))
        #expect(JSONValue.int(1) != .bool(true))
    }

    @Test
    func `a value is read by its kind only`() {
        let value: JSONValue = ["text": "a", "number": 1, "fraction": 1.5, "flag": true, "list": [1]]
        #expect(value["text"]?.stringValue == "a")
        #expect(value["number"]?.intValue == 1)
        #expect(value["number"]?.doubleValue == 1)
        #expect(value["fraction"]?.intValue == nil)
        #expect(value["fraction"]?.doubleValue == 1.5)
        #expect(value["flag"]?.boolValue == true)
        #expect(value["flag"]?.intValue == nil)
        #expect(value["list"]?[0] == 1)
        #expect(value["list"]?[1] == nil)
        #expect(value["list"]?[-1] == nil)
        #expect(value["none"] == nil)
    }

    @Test
    func `of equal names in a literal the last one counts`() {
        #expect(JSONValue.object(["a": 2]) == ["a": 1, "a": 2])
    }

    @Test
    func `a number beyond 64 bits is kept as its digits`() {
        #expect(UInt64.max.jsonValue == .string("18446744073709551615"))
        #expect(Int64.max.jsonValue == .int(.max))
        #expect(Float(0.1).jsonValue == .double(0.1))
    }

    @Test
    func `a double out of the range of integers is not an integer, and does not trap`() {
        #expect(JSONValue.double(1e300).intValue == nil)
        #expect(JSONValue.double(.nan).intValue == nil)
        #expect(JSONValue.double(4).intValue == 4)
    }
}
