// SPDX-License-Identifier: MIT

import RestEssentials

extension Redaction {
    /// Returns a JSON value as text, with the values of secret-looking members masked and names sorted.
    static func json(_ value: JSONValue) -> String {
        JSONText.of(JSONText.masked(value))
    }

    /// Returns a body as text with secrets masked; `nil` if it is neither JSON nor a form, so that its content is
    /// unknown.
    static func body(_ body: Data, contentType: String?) -> String? {
        let type = contentType?.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased() ?? ""
        if type == "application/json" || type.hasSuffix("+json") {
            return (try? JSONDecoder().decode(JSONValue.self, from: body)).map(json)
        }
        if type == "application/x-www-form-urlencoded" {
            return String(validating: body, as: UTF8.self).map(items)
        }
        return nil
    }
}
