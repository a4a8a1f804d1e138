// SPDX-License-Identifier: MIT

public import RestClient
import RestEssentials

/// The differences between a recorded response and the server's current one.
public struct RecordingDrift: Sendable, Hashable, MirroredByDescription {
    /// The index of the exchange in the recording.
    public let index: Int

    /// The request, masked.
    public let request: HAR.Request

    /// The differences in the status, the header fields and the shape of a JSON body, one sentence each.
    public let differences: [String]

    /// The request and its differences, one on each line.
    public var description: String {
        MessageText.lines(["\(request.method) \(Redaction.url(request.url)):"] + differences.map { "  \($0)" })
    }

    /// Header fields that differ each time, or that concern the bytes on the wire.
    private static let volatileFields: Set<String> = [
        "age", "connection", "content-encoding", "content-length", "date", "etag", "expires", "keep-alive",
        "last-modified",
        "retry-after", "set-cookie", "transfer-encoding",
    ]

    static func differences(from recorded: HAR.Response, to current: HAR.Response) -> [String] {
        var differences: [String] = []
        if recorded.status != current.status {
            differences.append("status: was \(recorded.status), is \(current.status)")
        }
        let (before, after) = (fields(of: recorded), fields(of: current))
        for name in Set(before.keys).union(after.keys).sorted() {
            switch (before[name], after[name]) {
            case (.some, nil): differences.append("header field \(name): is missing")
            case (nil, .some): differences.append("header field \(name): is new")
            case (let before?, let after?) where name == "content-type" && before != after:
                differences.append("header field \(name): was '\(before)', is '\(after)'")
            default: break
            }
        }
        switch (shape(of: recorded), shape(of: current)) {
        case (let before?, let after?):
            differences += before.differences(to: after).map { "body: \($0)" }
        case (.some, nil):
            differences.append("body: is not JSON any longer")
        case (nil, .some):
            differences.append("body: is JSON now")
        case (nil, nil):
            break
        }
        return differences
    }

    /// Returns a URL without the query items and the parameters of its path that are masked, whole or in part.
    static func withoutMaskedItems(_ url: String) -> String {
        let url = QueryItems.rewriting(url) { items in
            items.filter { !isMasked($0.name) && !isMasked($0.value ?? "") }
        }
        let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) ?? url.endIndex
        let segments = url[..<mark].utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { segment in
                segment.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).enumerated()
                    .filter { $0.offset == 0 || !isMasked(Substring($0.element)) }
                    .map { String(Substring($0.element)) }
                    .joined(separator: ";")
            }
        return segments.joined(separator: "/") + url[mark...]
    }

    private static func isMasked(_ text: Substring) -> Bool {
        text.utf8.firstRange(of: PercentEncoding.encode(Redaction.mask).utf8) != nil
    }

    private static func fields(of response: HAR.Response) -> [String: String] {
        let fields = response.headers.map { ($0.name.lowercased(), $0.value) }
        return Dictionary(fields) { first, _ in first }.filter { !volatileFields.contains($0.key) }
    }

    private static func shape(of response: HAR.Response) -> JSONShape? {
        (try? JSONText.value(of: response.body.bytes)).map { JSONShape($0) }
    }
}

/// The shape of a JSON value: its members and their types, without the values.
///
/// The elements of an array share one shape. A member that is `null` somewhere may be of any type there.
struct JSONShape: Sendable, Hashable {
    /// The types that occur at each path, like `$.items[].id`.
    let types: [String: Set<String>]

    init(_ value: JSONValue) {
        var types: [String: Set<String>] = [:]
        Self.collect(value, at: "$", into: &types)
        self.types = types
    }

    func differences(to other: JSONShape) -> [String] {
        Set(types.keys).union(other.types.keys).sorted()
            .compactMap { path in
                switch (types[path], other.types[path]) {
                case (let mine?, nil):
                    return hasNull(above: path, in: other) ? nil : "\(path) is missing, was \(Self.words(mine))"
                case (nil, let theirs?):
                    return hasNull(above: path, in: self) ? nil : "\(path) is new, \(Self.words(theirs))"
                case (let mine?, let theirs?):
                    let isSame = mine.subtracting(["null"]) == theirs.subtracting(["null"])
                    // If one side was always null, its type is unknown.
                    let isOpen = mine == ["null"] || theirs == ["null"]
                    return isSame || isOpen ? nil : "\(path) is \(Self.words(theirs)), was \(Self.words(mine))"
                case (nil, nil):
                    return nil
                }
            }
    }

    /// Returns true if the parent of a path is null or an empty array in a shape, so that its members are unknown.
    private func hasNull(above path: String, in shape: JSONShape) -> Bool {
        var path = path[...]
        while let end = path.lastIndex(where: { $0 == "." || $0 == "[" }) {
            path = path[..<end]
            guard let types = shape.types[String(path)] else {
                continue
            }
            let isEmptyArray = types.contains("array") && shape.types["\(path)[]"] == nil
            return types.contains("null") || isEmptyArray
        }
        return false
    }

    private static func words(_ types: Set<String>) -> String {
        types.sorted().joined(separator: " or ")
    }

    private static func collect(_ value: JSONValue, at path: String, into types: inout [String: Set<String>]) {
        func note(_ type: String) {
            types[path, default: []].insert(type)
        }
        switch value {
        case .null: note("null")
        case .bool: note("boolean")
        case .int, .double, .number: note("number")
        case .string: note("string")
        case .array(let elements):
            note("array")
            for element in elements {
                collect(element, at: "\(path)[]", into: &types)
            }
        case .object(let members):
            note("object")
            for (name, member) in members {
                collect(member, at: "\(path).\(name)", into: &types)
            }
        }
    }
}
