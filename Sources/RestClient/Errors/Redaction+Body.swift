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
        if MediaType.isJSON(contentType) {
            return (try? JSONText.value(of: body)).map(json)
        }
        if MediaType.essence(of: contentType) == "application/x-www-form-urlencoded" {
            return String(validating: body, as: UTF8.self).map(items)
        }
        return nil
    }
}
