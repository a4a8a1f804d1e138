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

    @Test(
        arguments: [
            (["b": 1, "a": [true, nil, "x\ny", 1.5]], #"{"a":[true,null,"x\ny",1.5],"b":1}"#),
            (.string("a/b"), #""a/b""#),
            (["n": .double(.nan), "t": "\""], #"{"n":nan,"t":"\""}"#), (.string("\u{202E}"), #""\u{202E}""#),
        ] as [(JSONValue, String)]
    )
    func `a value prints as JSON on one line`(value: JSONValue, text: String) {
        #expect("\(value)" == text)
        #expect("\([value])" == "[\(text)]")
    }

    @Test
    func `a value that is nested deeply is cut where it prints`() {
        var value = JSONValue.double(.infinity)
        for _ in 0..<300 {
            value = [value]
        }
        #expect("\(value)".contains("…"))
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
        #expect(UInt64.max.jsonValue.scalarText == "18446744073709551615")
        #expect(UInt64(10_000_000_000_000_000_000).jsonValue.scalarText == "10000000000000000000")
        #expect(Int128.min.jsonValue.scalarText == "-170141183460469231731687303715884105728")
        #expect(Decimal(string: "1234567890123456.78")?.jsonValue.scalarText == "1234567890123456.78")
        #expect(Decimal(string: "0.0000001")?.jsonValue.scalarText == "0.0000001")
        #expect(Decimal(string: "1.5")?.jsonValue == .double(1.5))
        #expect(Decimal.nan.jsonValue.scalarText == "nan")
        #expect(Int64.max.jsonValue == .int(.max))
        #expect(Float(0.1).jsonValue == .double(0.1))
    }

    @Test
    func `a double out of the range of integers is not an integer, and does not trap`() {
        #expect(JSONValue.double(1e300).intValue == nil)
        #expect(JSONValue.double(.nan).intValue == nil)
        #expect(JSONValue.double(4).intValue == 4)
    }

    // MARK: - Digits

    static let numbers: [(String, String)] = [
        ("0", "0"), ("-0", "-0"), ("-0.0", "-0"), ("0.0", "0"), ("0e5", "0"), ("7", "7"), ("2.0", "2"), ("1e2", "100"),
        ("1.50", "1.5"), ("9223372036854775807", "9223372036854775807"),
        ("9223372036854775808", "9223372036854775808"), ("18446744073709551615", "18446744073709551615"),
        ("10000000000000000000", "10000000000000000000"), ("-9223372036854775809", "-9223372036854775809"),
        ("1234567890123456.78", "1234567890123456.78"), ("0.1", "0.1"), ("0.30000000000000004", "0.30000000000000004"),
        ("0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"), ("1e300", "1e+300"),
        ("1e400", "1e400"), ("-1E+400", "-1E+400"), ("1e-400", "1e-400"), ("5e-324", "5e-324"),
        (String(repeating: "9", count: 60), String(repeating: "9", count: 60)),
    ]

    @Test(arguments: numbers)
    func `a number keeps its digits`(text: String, written: String) throws {
        let json = Data("[\(text)]".utf8)
        let value = try JSONText.value(of: json)
        let request = DogmaRequest(
            method: .get,
            api: nil,
            server: nil,
            template: "",
            keyStrategy: nil,
            dateStrategy: nil
        )

        #expect(value[0]?.scalarText == written)
        #expect(try JSONDogma().decode(JSONValue.self, from: RawResponse(body: json), for: request) == value)
        #expect(JSONText.of(value) == "[\(written)]")
        #expect(value[0]?.decimal == DecimalText(text))
        #expect(try JSONText.valueAsWritten(json)[0]?.decimal == DecimalText(text))
    }

    @Test(arguments: ["18446744073709551615", "1234567890123456.78", "-9223372036854775809", "0.1", "-7", "0"])
    func `the coders of Foundation keep the digits of a Decimal`(text: String) throws {
        let value = try JSONDecoder().decode(JSONValue.self, from: Data("[\(text)]".utf8))

        #expect(value[0]?.scalarText == text)
        #expect(String(decoding: try JSONEncoder().encode(value), as: UTF8.self) == "[\(text)]")
    }

    @Test
    func `numbers of one value are equal, and others are not`() throws {
        func value(_ text: String) throws -> JSONValue { try JSONText.value(of: Data(text.utf8)) }

        #expect(try value("1e400") == value("10e399"))
        #expect(try value("1e400").hashValue == value("10.0e399").hashValue)
        #expect(try value("1e400") != value("1e401"))
        #expect(try value("18446744073709551615") != value("18446744073709551614"))
        #expect(try value("18446744073709551615").doubleValue == 0x1p64)
        #expect(try value("18446744073709551615").intValue == nil)
        #expect(try value("1.50") == 1.5)
        #expect(DecimalText("1.") == nil)
        #expect(DecimalText("x") == nil)
        #expect(DecimalText("1e") == nil)
    }

    @Test(arguments: [#"{"n": 01}"#, #"{"n": [1, {"m": -}]}"#, #"{"n": 1.}"#, #"{"n": "\q"}"#, #"{"n": tru}"#, "{", ""])
    func `a text that is not JSON is an error that says so`(text: String) {
        for decode in [{ try JSONText.value(of: $0) }, { try JSONDecoder().decode(JSONValue.self, from: $0) }]
            as [@Sendable (Data) throws -> JSONValue]
        {
            let error = #expect(throws: DecodingError.self) { try decode(Data(text.utf8)) }
            guard case .dataCorrupted? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }
}
