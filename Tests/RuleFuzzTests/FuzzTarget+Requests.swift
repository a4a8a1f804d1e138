// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SeededRandom
import TestSupport

@testable import RestClient

/// The parts of a request: templates, queries and bodies.
extension FuzzTarget {
    private static let templatePieces = [
        "/", "/a", "/users/", "{id}", "{id}", "{name}", "$0", "$1", "{+rest}", "{#part}", "{.dot}", "{/segments*}",
        "{;matrix}",
        "{?q,page}", "{&more*}", "{id:3}", "{list*}", "x", "%2F", "ä", ".", "..", "?a=1", "#f", "{", "}", "{}", "{a b}",
        "{!x}", "$", "$$",
    ]
    private static let names = [
        "id", "name", "$0", "$1", "rest", "part", "dot", "segments", "matrix", "q", "page", "more", "list",
    ]

    private static func value(_ input: inout FuzzInput) -> JSONValue {
        switch input.int(0...9) {
        case 0: .int(Int64(input.int(-1_000...1_000)))
        case 1: .bool(input.chance(2))
        case 2: .double(Double(input.int(-100...100)) / 8)
        case 3: .null
        case 4: .array(input.list(0...3) { .string($0.anyText(0...4)) })
        case 5:
            .object(
                Dictionary(input.list(0...3) { ($0.anyText(1...3), .string($0.anyText(0...3))) }) { first, _ in first }
            )
        default: .string(input.anyText(0...8))
        }
    }

    private static func values(_ input: inout FuzzInput) -> [String: JSONValue] {
        Dictionary(input.list(0...8) { ($0.pick(names), value(&$0)) }) { first, _ in first }
    }

    /// A path and a query as RFC 3986 writes them, and no byte more.
    private static func isWritten(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) }
    }

    static let template = FuzzTarget("template", 750) { input in
        let template = PathTemplate(input.text(of: templatePieces, 0...7))
        let (values, defaults) = (values(&input), input.chance(3) ? FuzzTarget.values(&input) : [:])
        guard case .success(let parts) = template.parts,
            let (path, used) = try? template.requestExpansion(values, defaults: defaults)
        else {
            return
        }
        try demand(isWritten(path), "\(template) with \(values) became '\(path)'")
        try demand(used.isSubset(of: values.keys), "\(template) used \(used)")
        try demand(PathTemplate(template.source) == template, "\(template) is not the same when it is parsed again")
        // A second computation of the templates that have only plain variables.
        var expected = ""
        for part in parts {
            switch part {
            case .literal(let text):
                expected += text
            case .expression(let expression):
                guard let variable = expression.plainVariable, let text = values[variable.name]?.scalarText,
                    !text.isEmpty
                else {
                    return
                }
                let isPlain = { (byte: UInt8) in
                    Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber
                }
                expected += text.utf8
                    .map { byte in
                        byte < 0x80 && isPlain(byte) || "-._~".utf8.contains(byte)
                            ? String(Unicode.Scalar(byte))
                            : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
                    }
                    .joined()
            }
        }
        try demand(path == expected, "\(template) with \(values) became '\(path)', and not '\(expected)'")
        let slashes = parts.reduce(0) { count, part in
            if case .literal(let text) = part { count + text.count { $0 == "/" } } else { count }
        }
        try demand(path.count { $0 == "/" } == slashes, "a value added a segment: '\(path)'")
        try demand(
            !path.split(separator: "/").contains { HTTPURL.isDotSegment($0) } || template.source.contains("."),
            path
        )
    }

    static let pattern = FuzzTarget("pattern", 400) { input in
        let segments = input.list(1...5) { $0.pick(["a", "b", "{id}", "{name}", "v{id}", "{name}.json", "%C3%A4"]) }
        let template = PathTemplate("/" + segments.joined(separator: "/"))
        let values: [String: JSONValue] = ["id": .string(input.anyText(1...5)), "name": .string(input.anyText(1...5))]
        let pattern = PathPattern(template)
        guard let (path, _) = try? template.requestExpansion(values, defaults: [:]) else {
            return
        }
        let found = pattern.match(path)
        try demand(found != nil, "\(template) does not match its own '\(path)'")
        // A suffix or prefix that the value contains too is found at the outermost place.
        for (name, value) in found ?? [:]
        where !segments.contains(where: { $0.contains("{\(name)}") && !$0.hasPrefix("{\(name)}") }) {
            try demand(.string(value) == values[name] ?? .null, "\(template) read \(name) as '\(value)' from '\(path)'")
        }
        let other = PathPattern(PathTemplate("/" + input.text(of: ["a", "/", "{id}", "{+rest}", "b"], 1...6)))
        _ = other.match(input.anyText(0...12))
        _ = other.lookalike(of: input.anyText(0...12))
        if pattern.isMoreSpecific(than: other) == true {
            try demand(other.isMoreSpecific(than: pattern) != true, "\(pattern) and \(other) are each more specific")
        }
    }

    private static func isSame(
        _ found: [(name: String, value: String)],
        _ items: [(name: String, value: String)]
    ) -> Bool {
        found.count == items.count
            && zip(found, items)
                .allSatisfy {
                    Array($0.name.utf8) == Array($1.name.utf8) && Array($0.value.utf8) == Array($1.value.utf8)
                }
    }

    static let query = FuzzTarget("query", 750) { input in
        let texts = input.list(0...6) { (name: $0.anyText(1...4), value: $0.anyText(0...6)) }
        let text = QueryEncoding().encode(texts.map { (name: $0.name, value: JSONValue.string($0.value)) })
        try demand(isWritten(text) && !text.contains("+") && !text.contains("#"), "\(texts) became '\(text)'")
        try demand(isSame(QueryItems.decode(text), texts), "\(texts) became '\(text)' and \(QueryItems.decode(text))")
        try demand(
            isSame(QueryItems.decode(text, plusIsSpace: true), texts),
            "a form reads '\(text)' as something else"
        )
        var encoding = QueryEncoding(
            lists: input.pick([.repeated, .brackets, .commas]),
            bools: input.pick([.words, .digits])
        )
        encoding.bools = input.pick([.words, .digits])
        let items = input.list(0...4) { (name: $0.anyText(1...3), value: value(&$0)) }
        let mixed = encoding.encode(items)
        try demand(isWritten(mixed), "\(items) became '\(mixed)'")
        try demand(mixed.isEmpty || QueryItems.decode(mixed).count == mixed.split(separator: "&").count, mixed)
        // What others wrote: the names and values that come out go in again.
        let foreign = QueryItems.decode(input.changed(mixed, with: ["&", "=", "%", "+", "%zz", "&&", "%C3"]))
        let again = QueryEncoding().encode(foreign.map { (name: $0.name, value: JSONValue.string($0.value)) })
        try demand(isSame(QueryItems.decode(again), foreign), "'\(again)' is not \(foreign)")
    }

    static let form = FuzzTarget("form", 200) { input in
        let fields = Dictionary(input.list(0...5) { ($0.anyText(1...4), $0.anyText(0...6)) }) { first, _ in first }
        let request = DogmaRequest(
            method: .post,
            api: nil,
            server: nil,
            template: "",
            keyStrategy: nil,
            dateStrategy: nil
        )
        let body = try FormDogma().encode(fields, for: request)
        let text = String(decoding: body.bytes, as: UTF8.self)
        let found = QueryItems.decode(text, plusIsSpace: true)
        try demand(isWritten(text), "\(fields) became '\(text)'")
        try demand(body.contentType == "application/x-www-form-urlencoded", "\(body)")
        try demand(
            isSame(found, fields.inOrder.map { (name: $0.key, value: $0.value) }),
            "\(fields) became \(found)"
        )
    }

    static let multipart = FuzzTarget("multipart", 300) { input in
        let boundary = try MultipartBoundary("b" + input.text(of: ["a", "-", "0", "'"], 1...6))
        let hostile = [
            "\r\n", "--", "--\(boundary.text)", boundary.text, "\r\n--\(boundary.text)--\r\n", "\"", ";",
            "\r\nX-Injected: 1\r\n",
        ]
        func text(_ input: inout FuzzInput) -> String {
            input.chance(2) ? input.anyText(1...5) : input.text(of: hostile + ["a"], 1...4)
        }
        let parts = input.list(0...4) { input in
            MultipartForm.Part(
                name: text(&input),
                fileName: input.chance(2) ? text(&input) : nil,
                contentType: input.chance(2) ? input.pick(["text/plain", "a/b; c=\"d\"", "x\r\ny", ""]) : nil,
                headers: input.chance(3) ? ["X-Own": text(&input)] : [:],
                content: .bytes(input.chance(2) ? Data(text(&input).utf8) : input.bytes(0...40))
            )
        }
        var form = MultipartForm()
        form.parts = parts
        guard let body = try? MultipartBody(form, boundary: boundary) else {
            return
        }
        var bytes = Data()
        for case .bytes(let piece) in body.segments {
            bytes.append(piece)
        }
        try demand(body.length == Int64(bytes.count), "the length \(body.length ?? -1) is not \(bytes.count)")
        let read = try MultipartReader.parts(of: bytes, contentType: body.contentType)
        try demand(read.count == parts.count, "\(parts.count) parts became \(read.count)")
        for (part, found) in zip(parts, read) {
            try demand(.bytes(found.content) == part.content, "the content \(part.content) became \(found.content)")
            let count = 1 + (part.contentType == nil ? 0 : 1) + part.headers.count
            try demand(found.headers.count == count, "\(part) has the fields \(found.headers)")
            let isReadable = !(part.name + (part.fileName ?? "")).contains("%")
            try demand(
                !isReadable || found.parameter("name") == part.name,
                "the name of \(part) became \(found.headers)"
            )
            try demand(!isReadable || found.parameter("filename") == part.fileName, "\(part) became \(found.headers)")
        }
    }
}
