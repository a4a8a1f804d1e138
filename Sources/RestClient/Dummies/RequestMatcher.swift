// SPDX-License-Identifier: MIT

public import HTTPTypes
import RestEssentials

/// A condition that a request has to meet besides its method and path, for a dummy to answer it or a check to count it.
///
/// ```swift
/// manager.dummies.register(.get, "/orders", matching: [.query("page", 2), .header(.accept, "application/json")]) { _ in
///     .json(orders)
/// }
/// try manager.dummies.verify(.post, "/orders", matching: [.json(["item": 7], ignoring: ["createdAt"])], times: 1)
/// ```
///
/// When no dummy answers, the error of a strict call says which condition was not met and what was there in its place.
/// Values of secret-looking names are masked there.
public struct RequestMatcher: Sendable, CustomStringConvertible {
    /// What the matcher looks at, as in `query page`.
    let field: String

    /// The one value that the field must have; `nil` when it takes more than one.
    let soleValue: String?

    /// What the request must have, in a few words.
    public let description: String

    /// Says what the request has instead; `nil` when it fits.
    private let examine: @Sendable (DummyRequest, inout DummyBody) -> String?

    private init(
        field: String,
        soleValue: String? = nil,
        description: String,
        examine: @escaping @Sendable (DummyRequest, inout DummyBody) -> String?
    ) {
        self.field = field
        self.soleValue = soleValue
        self.description = description
        self.examine = examine
    }

    /// The field and what it has in place of what is wanted; `nil` when the request fits.
    ///
    /// `body` keeps what was read of the request's body, so that it is read once whatever the number of matchers.
    func difference(in request: DummyRequest, body: inout DummyBody) -> String? {
        examine(request, &body).map { "\(field): \($0)" }
    }

    /// Whether no usual request meets both conditions: they want different values of one field.
    func excludes(_ other: RequestMatcher) -> Bool {
        guard field == other.field, let soleValue, let others = other.soleValue else {
            return false
        }
        return soleValue != others
    }
}

// MARK: - Header fields, query and path

extension RequestMatcher {
    /// A header field with a value.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - value: Its value, or one of its values when there are several lines of that name.
    /// - Returns: The condition.
    public static func header(_ name: HTTPField.Name, _ value: String) -> RequestMatcher {
        let isSecret = Credentials.isSecret(name)
        let wanted = isSecret ? Redaction.mask : quoted(value)
        return RequestMatcher(
            field: "header \(name.rawName)",
            soleValue: value,
            description: "header \(name.rawName) is \(wanted)"
        ) { request, _ in
            let found = request.headers[values: name]
            guard !found.contains(value), request.headers[name] != value else {
                return nil
            }
            guard let shown = request.headers[name] else {
                return "missing instead of \(wanted)"
            }
            return isSecret ? "another value than the one wanted" : "\(quoted(shown)) instead of \(wanted)"
        }
    }

    /// A header field, whatever its value.
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
    ///   - value: Its value, decoded, or one of its values when there are several items of that name; of a list, all
    ///     values in their order.
    /// - Returns: The condition.
    public static func query(_ name: String, _ value: some JSONValueConvertible) -> RequestMatcher {
        let wanted = texts(of: value.jsonValue)
        return item("query \(name)", name, wanted: wanted) { request, _ in
            request.query.filter { $0.name == name }.map(\.value)
        }
    }

    /// A query item, whatever its value.
    ///
    /// - Parameter name: The item's name, decoded.
    /// - Returns: The condition.
    public static func query(_ name: String) -> RequestMatcher {
        RequestMatcher(field: "query \(name)", description: "query \(name)") { request, _ in
            request.query.contains { $0.name == name } ? nil : "missing"
        }
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
    ///   - value: What must stand in its place, decoded.
    /// - Returns: The condition.
    public static func parameter(_ name: String, _ value: some JSONValueConvertible) -> RequestMatcher {
        let wanted = texts(of: value.jsonValue)
        return item("parameter \(name)", name, wanted: wanted) { request, _ in
            request.parameters[name].map { [$0] } ?? []
        }
    }

    /// A field of a form in the body (`application/x-www-form-urlencoded`) with a value.
    ///
    /// - Parameters:
    ///   - name: The field's name, decoded.
    ///   - value: Its value, decoded, or one of its values when there are several of that name.
    /// - Returns: The condition.
    public static func formField(_ name: String, _ value: some JSONValueConvertible) -> RequestMatcher {
        let wanted = texts(of: value.jsonValue)
        return item("form field \(name)", name, wanted: wanted) { request, _ in
            QueryItems.decode(String(decoding: request.body ?? Data(), as: UTF8.self), plusIsSpace: true)
                .filter { $0.name == name }.map(\.value)
        }
    }

    /// A condition of one's own.
    ///
    /// - Parameters:
    ///   - name: What is wanted, in a few words, for errors.
    ///   - predicate: Whether the request fits; it may be called from any task, many times at once, for requests that
    ///     another dummy answers in the end. When it throws, the request does not fit.
    /// - Returns: The condition.
    public static func `where`(
        _ name: String,
        _ predicate: @escaping @Sendable (DummyRequest) throws -> Bool
    ) -> RequestMatcher {
        RequestMatcher(field: "condition '\(name)'", description: name) { request, _ in
            do {
                return try predicate(request) ? nil : "not met"
            } catch {
                return "not met, as it threw \(Redaction.error(error))"
            }
        }
    }

    /// Named values of which one must be the wanted one, or all together the wanted ones.
    private static func item(
        _ field: String,
        _ name: String,
        wanted: [String],
        _ values: @escaping @Sendable (DummyRequest, inout DummyBody) -> [String]
    ) -> RequestMatcher {
        let isSecret = Redaction.isSecret(name)
        let shownWanted = isSecret ? Redaction.mask : wanted.map(quoted).joined(separator: ", ")
        return RequestMatcher(
            field: field,
            soleValue: wanted.joined(separator: "\n"),
            description: "\(field) is \(shownWanted)"
        ) { request, body in
            let found = values(request, &body)
            let fits = wanted.count == 1 ? found.contains(wanted[0]) : found == wanted
            guard !fits else {
                return nil
            }
            if found.isEmpty {
                return "missing instead of \(shownWanted)"
            }
            return isSecret
                ? "another value than the one wanted"
                : "\(found.map(quoted).joined(separator: ", ")) instead of \(shownWanted)"
        }
    }

    /// A value as it stands in a query or path; a list's values one by one.
    private static func texts(of value: JSONValue) -> [String] {
        switch value {
        case .array(let elements): elements.flatMap(texts)
        case .null: []
        default: [value.scalarText ?? JSONText.of(value)]
        }
    }

    private static func quoted(_ text: String) -> String {
        "'\(text.count > 80 ? text.prefix(79) + "…" : text)'"
    }
}

// MARK: - Body

extension RequestMatcher {
    /// A JSON body that is equal to a value; the order of members and the spelling of numbers do not matter.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - ignored: The members that do not matter: by name, wherever they stand, as in `createdAt`; or by JSON Pointer
    ///     (RFC 6901), in which `*` stands for any member or element, as in `/items/*/id`.
    /// - Returns: The condition.
    public static func json(_ value: JSONValue, ignoring ignored: [String] = []) -> RequestMatcher {
        json(value, JSONComparison(ignoring: ignored), soleValue: ignored.isEmpty ? JSONText.of(value) : nil)
    }

    /// A JSON body that holds at least the members of a value; those that it has beyond them do not matter.
    ///
    /// Lists must have as many elements as the value's, each holding at least what the value's element does.
    ///
    /// - Parameter value: The value.
    /// - Returns: The condition.
    public static func json(containing value: JSONValue) -> RequestMatcher {
        json(value, JSONComparison(allowsMoreMembers: true), soleValue: nil)
    }

    /// A body of exactly these bytes.
    ///
    /// - Parameter bytes: The bytes; none stands for no body.
    /// - Returns: The condition.
    public static func body(_ bytes: some Sequence<UInt8> & Sendable) -> RequestMatcher {
        let wanted = Array(bytes)
        return RequestMatcher(field: "body", description: "a body of \(wanted.count) given bytes") { request, _ in
            let found = request.body ?? Data()
            return found.elementsEqual(wanted) ? nil : "other bytes (\(found.count) instead of \(wanted.count))"
        }
    }

    /// A body with a text in it.
    ///
    /// - Parameter text: The text, compared as UTF-8.
    /// - Returns: The condition.
    public static func body(containing text: String) -> RequestMatcher {
        RequestMatcher(field: "body", description: "a body with \(quoted(text)) in it") { request, _ in
            let found = String(decoding: request.body ?? Data(), as: UTF8.self)
            return found.contains(text) ? nil : "without \(quoted(text))"
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
