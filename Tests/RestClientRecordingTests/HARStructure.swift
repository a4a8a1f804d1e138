// SPDX-License-Identifier: MIT

import RestClient

/// Checks a text against what the HTTP Archive format, version 1.2, requires of each object.
enum HARStructure {
    private indirect enum Kind: Sendable {
        case text, number, date
        case object([String: Kind], optional: [String: Kind])
        case list(Kind)
    }

    private static let field = Kind.object(["name": .text, "value": .text], optional: ["comment": .text])
    private static let request = Kind.object(
        [
            "method": .text, "url": .text, "httpVersion": .text, "cookies": .list(field), "headers": .list(field),
            "queryString": .list(field), "headersSize": .number, "bodySize": .number,
        ],
        optional: ["postData": .object(["mimeType": .text, "params": .list(field), "text": .text], optional: [:])]
    )
    private static let response = Kind.object(
        [
            "status": .number, "statusText": .text, "httpVersion": .text, "cookies": .list(field),
            "headers": .list(field),
            "content": .object(["size": .number, "mimeType": .text], optional: ["text": .text, "encoding": .text]),
            "redirectURL": .text, "headersSize": .number, "bodySize": .number,
        ],
        optional: [:]
    )
    private static let timings = Kind.object(
        ["send": .number, "wait": .number, "receive": .number],
        optional: ["blocked": .number, "dns": .number, "connect": .number, "ssl": .number]
    )
    private static let entry = Kind.object(
        [
            "startedDateTime": .date, "time": .number, "request": request, "response": response,
            "cache": .object([:], optional: [:]), "timings": timings,
        ],
        optional: [:]
    )
    private static let creator = Kind.object(["name": .text, "version": .text], optional: [:])
    private static let archive = Kind.object(
        ["log": .object(["version": .text, "creator": creator, "entries": .list(entry)], optional: [:])],
        optional: [:]
    )

    /// Returns the violations of the format, each with its place.
    static func defects(of value: JSONValue) -> [String] {
        defects(value, archive, "$") + timeDefects(value)
    }

    private static func defects(_ value: JSONValue, _ kind: Kind, _ place: String) -> [String] {
        switch (kind, value) {
        case (.text, .string), (.number, .int), (.number, .double):
            return []
        case (.date, .string(let text)):
            let isDate = text.utf8.count >= 20 && text.contains("T") && (text.hasSuffix("Z") || text.contains("+"))
            return isDate ? [] : ["\(place): no date"]
        case (.list(let kind), .array(let elements)):
            return elements.enumerated().flatMap { defects($0.element, kind, "\(place)[\($0.offset)]") }
        case (.object(let required, let optional), .object(let members)):
            let missing = required.keys.filter { members[$0] == nil }.map { "\(place).\($0): missing" }
            return missing.sorted()
                + members.sorted { $0.key < $1.key }
                .flatMap { name, member -> [String] in
                    // Custom names start with an underscore.
                    guard let kind = required[name] ?? optional[name] else {
                        return name.hasPrefix("_") ? [] : ["\(place).\(name): not of the format"]
                    }
                    return defects(member, kind, "\(place).\(name)")
                }
        default:
            return ["\(place): wrong type"]
        }
    }

    /// The time of an entry is the sum of its timings, those that do not apply left out.
    private static func timeDefects(_ value: JSONValue) -> [String] {
        var defects: [String] = []
        var index = 0
        while let entry = value["log"]?["entries"]?[index] {
            let parts = ["blocked", "dns", "connect", "send", "wait", "receive"]
                .compactMap { entry["timings"]?[$0]?.doubleValue }
                .filter { $0 >= 0 }
            if abs(parts.reduce(0, +) - (entry["time"]?.doubleValue ?? -1)) > 0.001 {
                defects.append("entries[\(index)].time: not the sum of the timings")
            }
            index += 1
        }
        return defects
    }
}
