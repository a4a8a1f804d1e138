// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient
import RestEssentials

extension RecordingRules {
    /// Masks the parts of an exchange that are not allowed; doing it twice has no further effect.
    ///
    /// `secrets` are the header fields that are credentials of the call, whatever their names; they are recorded only
    /// if a list of names allows them.
    func masked(_ entry: HAR.Entry, secrets: Set<HTTPField.Name> = []) -> HAR.Entry {
        var entry = entry
        entry.request = masked(entry.request)
        if headers == .all, !secrets.isEmpty {
            entry.request.headers = entry.request.headers.map { field in
                let isSecret = HTTPField.Name(field.name).map(secrets.contains) ?? false
                return isSecret ? HAR.Field(field.name, Redaction.mask) : field
            }
        }
        entry.response.statusText = Redaction.text(entry.response.statusText)
        entry.response.headers = masked(entry.response.headers)
        entry.response.body = masked(entry.response.body)
        entry.webSocketMessages = entry.webSocketMessages.map { $0.map { masked($0) } }
        entry.webSocketEnd = entry.webSocketEnd.map { masked($0) }
        entry.response.error = entry.response.error.map { Redaction.text($0) }
        return entry
    }

    /// Masks the parts of a message that are not allowed, as if it was a body.
    func masked(_ message: HAR.WebSocketMessage) -> HAR.WebSocketMessage {
        var message = message
        message.bytes = masked(HAR.Body(message.bytes)).bytes
        return message
    }

    /// Masks the reason of a close, or the secrets in it if text that is not JSON is allowed.
    func masked(_ end: HAR.WebSocketEnd) -> HAR.WebSocketEnd {
        var end = end
        if !end.reason.isEmpty {
            end.reason = allowsOtherBodies ? Redaction.text(end.reason) : Redaction.mask
        }
        return end
    }

    func masked(_ request: HAR.Request) -> HAR.Request {
        var request = request
        request.url = masked(url: request.url)
        request.headers = masked(request.headers)
        request.body = request.body.map { masked($0) }
        return request
    }

    func masked(_ fields: [HAR.Field]) -> [HAR.Field] {
        fields.map { field in
            let isSecret =
                HTTPField.Name(field.name).map { Credentials.isSecret($0) } ?? Credentials.isSecret(field.name)
            guard headers.allows(field.name), !(isSecret && headers == .all) else {
                return HAR.Field(field.name, Redaction.mask)
            }
            switch field.name.lowercased() {
            case "location", "content-location", "referer":
                return HAR.Field(field.name, masked(url: field.value))
            case "link":
                let link = Redaction.links(
                    in: field.value,
                    masking: { Self.encodingMask(masked(url: $0)) },
                    parameters: { Self.encodingMask(Redaction.text($0)) }
                )
                return HAR.Field(field.name, link)
            default:
                // A field that a list allows although its name is that of a secret is recorded as it is.
                let value = isSecret ? field.value : Redaction.text(field.value)
                // A field of any name may hold a URL.
                let isURL = value.utf8.firstRange(of: "://".utf8) != nil && !value.utf8.contains(UInt8(ascii: " "))
                return HAR.Field(field.name, isURL ? masked(url: value) : value)
            }
        }
    }

    /// Returns a part of a link without the angle brackets of the mask: in a link, they enclose targets.
    private static func encodingMask(_ text: String) -> String {
        text.replacing(Redaction.mask, with: PercentEncoding.encode(Redaction.mask))
    }

    /// Removes user name, password and fragment from a URL, and masks the query items that are not allowed, the secrets
    /// in those that are, and those in the path.
    func masked(url: String) -> String {
        Redaction.url(url) { query.allows($0, isSecret: $1) }
    }

    func masked(_ body: HAR.Body) -> HAR.Body {
        guard !body.bytes.isEmpty else {
            return body
        }
        var body = body
        switch BodyContent.of(body.bytes, contentType: body.mimeType) {
        case .form(let items):
            body.bytes = Data(Redaction.items(items) { query.allows($0, isSecret: $1) }.utf8)
        case .json(let value):
            body.bytes = masked([value]) ?? body.bytes
        case .jsonLines(let values):
            body.bytes = masked(values) ?? body.bytes
        case .other:
            if !allowsOtherBodies {
                body.bytes = Data(Redaction.mask.utf8)
            }
        }
        return body
    }

    /// Returns masked values as JSON, one per line; `nil` if nothing had to be masked.
    private func masked(_ values: [JSONValue]) -> Data? {
        let masked = values.map { self.masked($0, named: "") }
        guard
            bodyFields != .all
                || zip(masked, values).contains(where: { !JSONText.of($0).utf8.elementsEqual(JSONText.of($1).utf8) })
        else {
            return nil
        }
        let lines = try? masked.map { try JSONText.data(of: $0) }
        return lines.map { Data($0.joined(separator: "\n".utf8)) } ?? Data(Redaction.mask.utf8)
    }

    private func masked(_ value: JSONValue, named name: String) -> JSONValue {
        switch value {
        case .object(let members):
            return .object(Dictionary(uniqueKeysWithValues: members.map { ($0.key, masked($0.value, named: $0.key)) }))
        case .array(let elements):
            return .array(elements.map { masked($0, named: name) })
        case .null:
            return .null
        case .bool, .int, .double, .number, .string:
            guard !bodyFields.allows(name) else {
                guard bodyFields == .all, case .string(let text) = value else {
                    return value
                }
                return .string(Redaction.text(text))
            }
            switch value {
            case .bool: return false
            case .int: return 0
            case .double, .number: return .double(0.5)
            default: return .string(Redaction.mask)
            }
        }
    }
}
