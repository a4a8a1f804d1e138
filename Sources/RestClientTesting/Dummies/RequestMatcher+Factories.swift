// SPDX-License-Identifier: MIT

public import HTTPTypes
public import RestClient
import RestEssentials

// MARK: - Header fields, query and path

extension RequestMatcher {
    /// A header field with a value.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - value: Its value, or one of its values if there are several lines of that name.
    /// - Returns: The condition.
    public static func header(_ name: HTTPField.Name, _ value: String) -> RequestMatcher {
        let isSecret = Credentials.isSecret(name)
        let wanted = isSecret ? Redaction.mask : RequestMatcher.quoted(value)
        return RequestMatcher(
            field: "header \(name.rawName)",
            soleValue: value,
            description: "header \(name.rawName) is \(wanted)"
        ) { request, _ in
            let whole = request.headers.text(name)
            let isFound = (request.headers.texts(name) + (whole.map { [$0] } ?? []))
                .contains { $0.utf8.elementsEqual(value.utf8) }
            guard !isFound else {
                return nil
            }
            guard let shown = whole else {
                return "missing instead of \(wanted)"
            }
            return isSecret
                ? "another value than the one wanted" : "\(RequestMatcher.quoted(shown)) instead of \(wanted)"
        }
    }

    /// A header field with any value.
    ///
    /// - Parameter name: The field's name.
    /// - Returns: The condition.
    public static func header(_ name: HTTPField.Name) -> RequestMatcher {
        RequestMatcher(field: "header \(name.rawName)", description: "header \(name.rawName)") { request, _ in
            request.headers.contains(name) ? nil : "missing"
        }
    }

    /// No header field of that name.
    ///
    /// - Parameter name: The field's name.
    /// - Returns: The condition.
    public static func withoutHeader(_ name: HTTPField.Name) -> RequestMatcher {
        RequestMatcher(field: "header \(name.rawName)", description: "no header \(name.rawName)") { request, _ in
            request.headers.contains(name) ? "there, and must not be" : nil
        }
    }

    /// A query item with a value.
    ///
    /// - Parameters:
    ///   - name: The item's name, decoded.
    ///   - value: Its value, decoded, or one of its values if there are several items of that name; for a list, all
    ///     values in order.
    /// - Returns: The condition.
    public static func query(_ name: String, _ value: some JSONValueConvertible) -> RequestMatcher {
        .query(name, texts(of: value.jsonValue))
    }

    /// No query item of that name.
    ///
    /// - Parameter name: The item's name, decoded.
    /// - Returns: The condition.
    public static func withoutQuery(_ name: String) -> RequestMatcher {
        RequestMatcher(field: "query \(name)", description: "no query \(name)") { request, _ in
            request.query.contains { $0.name == name } ? "there, and must not be" : nil
        }
    }

    /// A placeholder of the path with a value.
    ///
    /// - Parameters:
    ///   - name: The placeholder's name.
    ///   - value: Its value, decoded.
    /// - Returns: The condition.
    public static func parameter(_ name: String, _ value: some JSONValueConvertible) -> RequestMatcher {
        let wanted = texts(of: value.jsonValue)
        return .values(of: "parameter \(name)", named: name, wanted: wanted) { request in
            request.parameters[name].map { [$0] } ?? []
        }
    }

    /// A field of a form in the body (`application/x-www-form-urlencoded`) with a value.
    ///
    /// - Parameters:
    ///   - name: The field's name, decoded.
    ///   - value: Its value, decoded, or one of its values if there are several of that name.
    /// - Returns: The condition.
    public static func formField(_ name: String, _ value: some JSONValueConvertible) -> RequestMatcher {
        let wanted = texts(of: value.jsonValue)
        return .values(of: "form field \(name)", named: name, wanted: wanted) { request in
            QueryItems.decode(String(decoding: request.body ?? Data(), as: UTF8.self), plusIsSpace: true)
                .filter { $0.name == name }.map(\.value)
        }
    }

    /// Returns a value's text in a query or a path; for a list, one text for each element.
    private static func texts(of value: JSONValue) -> [String] {
        switch value {
        case .array(let elements): elements.flatMap(texts)
        case .null: []
        default: [value.scalarText ?? JSONText.of(value)]
        }
    }
}

// MARK: - Body

extension RequestMatcher {
    /// A JSON body that is equal to a value, regardless of the order of members and the spelling of numbers.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - ignored: The members to ignore: by name at any depth, as in `createdAt`; or by JSON Pointer (RFC 6901), in
    ///     which `*` stands for any member or element, as in `/items/*/id`.
    /// - Returns: The condition.
    public static func json(_ value: JSONValue, ignoring ignored: [String] = []) -> RequestMatcher {
        json(value, JSONComparison(ignoring: ignored), soleValue: ignored.isEmpty ? JSONText.of(value) : nil)
    }

    /// A JSON body that has at least the members of a value.
    ///
    /// Arrays must have as many elements as the value's, each with at least the members of the value's element.
    ///
    /// - Parameter value: The value.
    /// - Returns: The condition.
    public static func json(containing value: JSONValue) -> RequestMatcher {
        json(value, JSONComparison(allowsMoreMembers: true), soleValue: nil)
    }

    /// A body of exactly these bytes.
    ///
    /// - Parameter bytes: The bytes; empty for no body.
    /// - Returns: The condition.
    public static func body(_ bytes: some Sequence<UInt8> & Sendable) -> RequestMatcher {
        let wanted = Array(bytes)
        return RequestMatcher(field: "body", description: "a body of \(wanted.count) given bytes") { request, _ in
            let found = request.body ?? Data()
            return found.elementsEqual(wanted) ? nil : "other bytes (\(found.count) instead of \(wanted.count))"
        }
    }

    /// A body that contains a text.
    ///
    /// - Parameter text: The text, compared as UTF-8.
    /// - Returns: The condition.
    public static func body(containing text: String) -> RequestMatcher {
        RequestMatcher(field: "body", description: "a body that contains \(RequestMatcher.quoted(text))") {
            request,
            _ in
            let found = String(decoding: request.body ?? Data(), as: UTF8.self)
            return found.contains(text) ? nil : "without \(RequestMatcher.quoted(text))"
        }
    }

    private static func json(
        _ wanted: JSONValue,
        _ comparison: JSONComparison,
        soleValue: String?
    ) -> RequestMatcher {
        let verb = comparison.allowsMoreMembers ? "contains" : "is"
        return RequestMatcher(
            field: "body",
            soleValue: soleValue,
            description: "a JSON body that \(verb) \(JSONText.brief(wanted))"
        ) { request, body in
            switch body.json(of: request) {
            case .failure(let defect): defect.reason
            case .success(let found):
                comparison.difference(of: found, from: wanted).map { "\($0)" }
            }
        }
    }
}
