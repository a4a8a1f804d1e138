// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// Bodies that say what changes: JSON merge patch (RFC 7396) and JSON patch (RFC 6902).
@Suite(.timeLimit(.minutes(5)))
struct JSONPatchesTests {
    private struct Change: Codable, Sendable {
        var state: String?
        var note: String?? = .none
    }

    private static func text(_ payload: some RequestPayload) throws -> String? {
        try payload.requestBody().bytes.map { String(decoding: $0, as: UTF8.self) }
    }

    // MARK: - Merge patch

    @Test
    func `absent, null and a value are told apart`() throws {
        #expect(try Self.text(MergePatch(["a": 1, "b": nil])) == #"{"a":1,"b":null}"#)
        #expect(try Self.text(MergePatch(Change())) == "{}")
        #expect(try Self.text(MergePatch(Change(note: .some(nil)))) == #"{"note":null}"#)
        #expect(try Self.text(MergePatch(Change(state: "paid", note: "x"))) == #"{"note":"x","state":"paid"}"#)
    }

    /// Values before and after a change, and the patch.
    private static let differences: [(old: JSONValue, new: JSONValue, patch: JSONValue)] = [
        (["a": 1], ["a": 1], [:]),
        (["a": 1], ["a": 2], ["a": 2]),
        (["a": 1], ["b": 1], ["a": nil, "b": 1]),
        (["a": ["b": 1, "c": 2]], ["a": ["b": 3, "c": 2]], ["a": ["b": 3]]),
        (["a": ["b": 1]], ["a": [:]], ["a": ["b": nil]]),
        (["a": ["b": 1]], ["a": [1]], ["a": [1]]),
        (["a": [1, 2]], ["a": [1, 3]], ["a": [1, 3]]),
        (["a": 1], ["a": ["b": 1]], ["a": ["b": 1]]),
    ]

    @Test(arguments: differences)
    func `the patch from one model to another has what differs`(
        row: (old: JSONValue, new: JSONValue, patch: JSONValue)
    ) throws {
        #expect(MergePatch.difference(row.old, row.new) == row.patch)
        #expect(try Self.text(MergePatch(from: row.old, to: row.new)) == JSONText.of(row.patch))
    }

    @Test
    func `a value that would replace the whole is an error, and nothing is sent`() async {
        let client = StubbedClient()

        for patch in [MergePatch([1, 2] as [Int]), MergePatch(from: "a", to: "b"), MergePatch(from: [1], to: [2])] {
            let error = await client.failure { $0.patch().endpoint("/a").body(patch) }
            #expect(error?.code == .encodingFailed)
            #expect(error?.description.contains("needs a JSON object") == true)
        }
        #expect(client.requests.isEmpty)
    }

    /// Values with members that a model does not know, the model's before and after a change, and the result.
    private static let changes: [(read: JSONValue, old: JSONValue, new: JSONValue, result: JSONValue)] = [
        (["a": 1, "x": 9], ["a": 1], ["a": 2], ["a": 2, "x": 9]),
        (["a": 1, "x": 9], ["a": 1], [:], ["x": 9]),
        (["a": ["b": 1, "x": 9]], ["a": ["b": 1]], ["a": ["b": 2]], ["a": ["b": 2, "x": 9]]),
        (["a": ["b": 1, "x": 9]], ["a": ["b": 1]], ["a": ["b": 1]], ["a": ["b": 1, "x": 9]]),
        // Null is written as null, and what the model had left out stays.
        (["a": 1, "n": nil], ["a": 1], ["a": nil], ["a": nil, "n": nil]),
        (["a": [["b": 1, "x": 9]]], ["a": [["b": 1]]], ["a": [["b": 2]]], ["a": [["b": 2]]]),
        (["x": 9], [:], ["a": ["b": 1]], ["x": 9, "a": ["b": 1]]),
        ([1], [1], [2], [2]),
    ]

    @Test(arguments: changes)
    func `an update keeps the members that its model does not know`(
        row: (read: JSONValue, old: JSONValue, new: JSONValue, result: JSONValue)
    ) {
        #expect(row.read.changed(as: row.old, to: row.new) == row.result)
    }

    // MARK: - JSON patch

    private static let operations: [(JSONPatch.Operation, String)] = [
        (.add("/tags/-", "urgent"), #"{"op":"add","path":"/tags/-","value":"urgent"}"#),
        (.add("/note", nil), #"{"op":"add","path":"/note","value":null}"#),
        (.remove("/a~1b"), #"{"op":"remove","path":"/a~1b"}"#),
        (.replace("", ["a": 1]), #"{"op":"replace","path":"","value":{"a":1}}"#),
        (.move("/a", to: "/b"), #"{"from":"/a","op":"move","path":"/b"}"#),
        (.copy("/a", to: "/m~0n"), #"{"from":"/a","op":"copy","path":"/m~0n"}"#),
        (.test("/version", 7), #"{"op":"test","path":"/version","value":7}"#),
    ]

    @Test(arguments: operations)
    func `an operation is written as the RFC says`(operation: JSONPatch.Operation, text: String) throws {
        #expect(try Self.text(JSONPatch(operation)) == "[\(text)]")
    }

    @Test(arguments: ["a", "a/b", "/a~", "/a~2", "/~~0", "#/a"])
    func `what is no pointer is an error, and nothing is sent`(pointer: String) async {
        let client = StubbedClient()

        for patch in [JSONPatch(.test("/a", 1), .remove(pointer)), JSONPatch([.move(pointer, to: "/a")])] {
            let error = await client.failure { $0.patch().endpoint("/a").body(patch) }
            #expect(error?.code == .encodingFailed)
            #expect(error?.description.contains("'\(pointer)' is not a JSON pointer") == true)
        }
        #expect(client.requests.isEmpty)
    }

    @Test
    func `they are sent with their media types`() async throws {
        let merge = try await sent { $0.patch().endpoint("/a").body(MergePatch(["a": nil])).ifMatch("\"1\"") }
        let patch = try await sent { $0.patch().endpoint("/a").body(JSONPatch(.remove("/a"))) }

        #expect(merge.headers[.contentType] == "application/merge-patch+json")
        #expect(merge.bodyText == #"{"a":null}"#)
        #expect(merge.headers[.ifMatch] == "\"1\"")
        #expect(patch.headers[.contentType] == "application/json-patch+json")
        #expect("\(MergePatch(["secret": 1])) \(JSONPatch(.remove("/secret")))".contains("secret") == false)
    }
}
