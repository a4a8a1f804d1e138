// SPDX-License-Identifier: MIT

package import HTTPTypes
import RestEssentials

package enum Redaction {
    package static let mask = "<redacted>"

    package static func headers(_ headers: HTTPFields) -> String {
        headers
            .map { MessageText.of("\($0.name.rawName): \(value(of: $0))") }
            .joined(separator: "\n")
    }

    package static func masked(_ headers: HTTPFields) -> HTTPFields {
        guard headers.contains(where: holdsSecret) else {
            return headers
        }
        return HTTPFields(headers.map { HTTPField(name: $0.name, value: value(of: $0)) })
    }

    /// Returns the value of a header field: masked if it is a secret, otherwise with the secrets in it masked.
    static func value(of field: HTTPField) -> String {
        guard !Credentials.isSecret(field.name) else {
            return mask
        }
        switch field.name.canonicalName {
        case "location", "content-location", "referer": return text(url(field.value))
        case "link": return links(in: field.value, masking: { text(url($0)) }, parameters: { text($0) })
        default: return text(field.value)
        }
    }

    static func holdsSecret(_ field: HTTPField) -> Bool {
        Credentials.isSecret(field.name) || value(of: field) != field.value
    }

    package static func value(of name: String, _ value: String) -> String {
        guard let field = HTTPField.Name(name) else {
            return Credentials.isSecret(name) ? mask : text(value)
        }
        return self.value(of: HTTPField(name: field, value: value))
    }

    package static func request(
        _ method: HTTPRequest.Method,
        _ url: String,
        _ fields: HTTPFields,
        body: String?
    ) -> String {
        message("\(method.rawValue) \(self.url(url))", fields, body)
    }

    package static func response(_ status: HTTPResponse.Status, _ fields: HTTPFields, body: Int?) -> String {
        message(self.status(status), fields, body.map { "\($0) bytes" })
    }

    private static func message(_ line: String, _ fields: HTTPFields, _ body: String?) -> String {
        [MessageText.of(line), headers(fields), body.map { "(\($0))" } ?? ""]
            .filter { !$0.isEmpty }
            .joined(separator: "\n")
    }

    /// Returns a status as text, with the secrets in its reason masked.
    package static func status(_ status: HTTPResponse.Status) -> String {
        // HTTP/2 has no reason phrases.
        status.reasonPhrase.isEmpty ? String(status.code) : text(status.description)
    }

    /// Returns a mirror with the description of a value instead of its properties, for `dump` and other uses of
    /// reflection.
    package static func mirror<Value: CustomStringConvertible>(
        of value: Value,
        _ texts: KeyValuePairs<String, String> = [:]
    ) -> Mirror {
        Mirror(value, children: [("description", value.description)] + texts.map { ($0.key, $0.value) })
    }

    /// Returns a description of an underlying error: without the values that could not be encoded or decoded, and with
    /// the secrets in its text masked.
    package static func error(_ error: any Error) -> String {
        switch error {
        case is DecodingError, is EncodingError: "\(type(of: error)): \(DecodingReason.describe(error))"
        default: MessageText.of(text(SystemReason.description(of: error) ?? "\(error)"))
        }
    }

    /// Returns a JSON value as text, with the values of secret-looking members masked and names sorted.
    static func json(_ value: JSONValue) -> String {
        JSONText.of(JSONText.masked(value))
    }

    /// Returns a body as text with secrets masked; `nil` if it is neither JSON nor a form, so that its content is
    /// unknown.
    static func body(_ body: Data, contentType: String?) -> String? {
        switch BodyContent.of(body, contentType: contentType) {
        case .json(let value):
            (value.scalarText == nil && value != .null) || MediaType.isJSON(contentType) ? json(value) : nil
        case .jsonLines(let values): values.map(json).joined(separator: "\n")
        case .form(let items): form(items)
        case .other: nil
        }
    }

    /// Returns the items of a URL's query whose names mark their values as secrets: they distinguish users.
    static func secretItems(of url: String, except ignored: Set<String> = []) -> String? {
        let items = QueryItems.split(HTTPURL.query(of: url) ?? "")
            .filter { item in
                let name = PercentEncoding.decode(item.name, plusIsSpace: false)
                return Credentials.isSecret(name) && !ignored.contains(foreign: name)
            }
        return items.isEmpty ? nil : items.map { "\($0.name)=\($0.value ?? "")" }.joined(separator: "&")
    }
}
