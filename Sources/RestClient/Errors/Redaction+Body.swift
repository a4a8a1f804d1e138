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
        switch BodyContent.of(body, contentType: contentType) {
        case .json(let value): value.isContainer || MediaType.isJSON(contentType) ? json(value) : nil
        case .jsonLines(let values): values.map(json).joined(separator: "\n")
        case .form(let items): form(items)
        case .other: nil
        }
    }
}

extension JSONValue {
    fileprivate var isContainer: Bool {
        switch self {
        case .object, .array: true
        default: false
        }
    }
}
