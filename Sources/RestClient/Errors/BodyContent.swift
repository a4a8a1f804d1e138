// SPDX-License-Identifier: MIT

package import RestEssentials

/// The content of a body, as its bytes say: a sender may call any text JSON or a form.
package enum BodyContent {
    case json(JSONValue)
    case jsonLines([JSONValue])
    /// The items of a form. One without a value is a text that is not an item, and may be a secret.
    case form([QueryItems.Item])
    case other

    package static func of(_ body: Data, contentType: String?) -> BodyContent {
        if let value = try? JSONText.value(of: body) {
            return .json(value)
        }
        if let values = lines(of: body) {
            return .jsonLines(values)
        }
        return MediaType.essence(of: contentType) == "application/x-www-form-urlencoded" ? form(body) : .other
    }

    private static func lines(of body: Data) -> [JSONValue]? {
        let lines = body.split(separator: UInt8(ascii: "\n"))
            .filter { !$0.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") } }
        guard lines.count > 1, let first = lines.first?.first, "{[".utf8.contains(first) else {
            return nil
        }
        return try? lines.map { try JSONText.value(of: Data($0)) }
    }

    private static func form(_ body: Data) -> BodyContent {
        // The bytes of a form, and those that clients often leave unencoded in one.
        guard body.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"\"<>\\^`{|}".utf8.contains($0) }) else {
            return .other
        }
        let items = QueryItems.split(String(decoding: body, as: UTF8.self), omittingEmpty: false)
        return .form(
            items.map { item in
                // The only equals signs of Base64 are at its end.
                let isPadded = items.count == 1 && item.value?.utf8.allSatisfy { $0 == UInt8(ascii: "=") } != false
                return isPadded || !isName(item.name) ? (Substring(QueryItems.join([item])), nil) : item
            }
        )
    }

    private static func isName(_ text: Substring) -> Bool {
        text.utf8.count <= 64 && PercentEncoding.decode(text).utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\"") }
    }
}
