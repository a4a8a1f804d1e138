// SPDX-License-Identifier: MIT

package import HTTPTypes
import RestEssentials

/// Keeps secrets out of descriptions, errors, events and logs.
package enum Redaction {
    /// The text that replaces a secret.
    package static let mask = "<redacted>"

    /// Returns a URL with the values of secret-looking items of its query and its fragment masked, and without user
    /// name and password.
    package static func url(_ url: String) -> String {
        let url = address(url)
        guard let mark = url.utf8.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
            return url
        }
        let parts = url[url.index(after: mark)...].split(separator: "#", omittingEmptySubsequences: false)
        return url[...mark] + parts.map(items).joined(separator: "#")
    }

    /// Returns the items of a query or of a form, with the values of secret-looking ones masked.
    package static func items(_ text: some StringProtocol) -> String {
        QueryItems.split(text, omittingEmpty: false)
            .map { name, value in
                value.map { "\(name)=\(Credentials.isSecret(name) ? mask : String($0))" } ?? String(name)
            }
            .joined(separator: "&")
    }

    /// Returns true if the name of a query item, a form field or a member of JSON marks its value as a secret.
    package static func isSecret(_ name: some StringProtocol) -> Bool {
        Credentials.isSecret(name)
    }

    /// Returns true if a header field holds a credential or a session.
    package static func isSecret(_ name: HTTPField.Name) -> Bool {
        Credentials.isSecret(name)
    }

    /// Returns an address without user name and password.
    package static func address(_ address: String) -> String {
        guard address.utf8.contains(UInt8(ascii: "@")) else {
            return address
        }
        let scheme = address.firstRange(of: "://")
            .flatMap { range in
                address[..<range.lowerBound].contains { "/?#@".contains($0) } ? nil : range
            }
        let start = scheme?.upperBound ?? address.startIndex
        let authority = address[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let at = authority.lastIndex(of: "@") else {
            return address
        }
        return "\(address[..<start])\(mask)\(address[at...])"
    }

    /// Returns header fields as text, one per line, with the values of secret ones masked.
    package static func headers(_ headers: HTTPFields) -> String {
        headers
            .map { "\($0.name.rawName): \(value(of: $0))" }
            .joined(separator: "\n")
    }

    /// Returns header fields with the values of secret ones masked.
    package static func masked(_ headers: HTTPFields) -> HTTPFields {
        guard headers.contains(where: { isSecret($0.name) || holdsURLs($0.name) }) else {
            return headers
        }
        return HTTPFields(headers.map { HTTPField(name: $0.name, value: value(of: $0)) })
    }

    /// Returns the value of a header field: masked if it is a secret, with masked URLs if it is made of them.
    private static func value(of field: HTTPField) -> String {
        guard !isSecret(field.name) else {
            return mask
        }
        guard holdsURLs(field.name) else {
            return field.value
        }
        guard field.name.canonicalName == "link" else {
            return url(field.value)
        }
        // The targets of links stand in angle brackets, and their parameters between them.
        return field.value.split(separator: "<", omittingEmptySubsequences: false)
            .map { part in
                let end = part.firstIndex(of: ">") ?? part.endIndex
                return url(String(part[..<end])) + part[end...]
            }
            .joined(separator: "<")
    }

    /// Returns true if the values of a header field are URLs, which may contain secrets.
    private static func holdsURLs(_ name: HTTPField.Name) -> Bool {
        switch name.canonicalName {
        case "location", "content-location", "referer", "link": true
        default: false
        }
    }

    /// Returns a request as text, with one header field per line.
    package static func request(
        _ method: HTTPRequest.Method,
        _ url: String,
        _ fields: HTTPFields,
        body: String?
    )
        -> String
    {
        let lines = ["\(method.rawValue) \(self.url(url))", headers(fields), body.map { "(\($0))" } ?? ""]
        return lines.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// Returns a response as text, with one header field per line.
    package static func response(_ status: HTTPResponse.Status, _ fields: HTTPFields, body: Int?) -> String {
        ["\(status)", headers(fields), body.map { "(\($0) bytes)" } ?? ""].filter { !$0.isEmpty }
            .joined(separator: "\n")
    }

    /// Returns a mirror with the description of a value instead of its properties, for `dump` and other uses of
    /// reflection.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - texts: Further properties, masked.
    /// - Returns: The mirror.
    package static func mirror<Value: CustomStringConvertible>(
        of value: Value,
        _ texts: KeyValuePairs<String, String> = [:]
    ) -> Mirror {
        Mirror(value, children: [("description", value.description)] + texts.map { ($0.key, $0.value) })
    }

    /// Returns a description of an underlying error: without the values that could not be encoded or decoded, and with
    /// its URLs masked.
    package static func error(_ error: any Error) -> String {
        switch error {
        case is DecodingError, is EncodingError: "\(type(of: error)): \(DecodingReason.describe(error))"
        default: urls(in: "\(error)")
        }
    }

    /// Returns a text with the secrets of the URLs in it masked.
    package static func urls(in text: String) -> String {
        guard text.contains("://") else {
            return text
        }
        return text.split(omittingEmptySubsequences: false) { $0.isWhitespace }
            .map { $0.contains("://") ? url(String($0)) : String($0) }
            .joined(separator: " ")
    }
}
