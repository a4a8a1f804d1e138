// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

/// A condition that a request must meet in addition to its method and path.
///
/// A dummy responds only to requests that meet its conditions, and a check counts only those. The product
/// RestClientTesting makes matchers of header fields, queries and bodies. If no dummy matches, the error of a strict
/// call says which condition was not met, and what the request had instead. Values of secret-looking names are masked.
public struct RequestMatcher: Sendable, CustomStringConvertible {
    /// The part of the request that the condition concerns, as in `query page`.
    package let field: String

    /// The only value that the field may have; `nil` if it may have several.
    package let soleValue: String?

    /// The condition in a few words.
    public let description: String

    private let examine: @Sendable (DummyRequest, inout Body) -> String?

    /// Creates a condition; `examine` returns what the request has instead, or `nil` if it meets the condition.
    package init(
        field: String,
        soleValue: String? = nil,
        description: String,
        examine: @escaping @Sendable (DummyRequest, inout Body) -> String?
    ) {
        self.field = field
        self.soleValue = soleValue
        self.description = description
        self.examine = examine
    }

    /// Returns how a request differs from the condition, whose body is parsed once for all; `nil` if it meets it.
    package func difference(in request: DummyRequest, body: inout Body) -> String? {
        examine(request, &body).map { "\(field): \($0)" }
    }
}

// MARK: - Conditions

extension RequestMatcher {
    /// A query item with any value.
    ///
    /// - Parameter name: The item's name, decoded.
    /// - Returns: The condition.
    public static func query(_ name: String) -> RequestMatcher {
        RequestMatcher(field: "query \(name)", description: "query \(name)") { request, _ in
            request.query.contains { $0.name.utf8.elementsEqual(name.utf8) } ? nil : "missing"
        }
    }

    package static func query(_ name: String, _ wanted: [String]) -> RequestMatcher {
        values(of: "query \(name)", named: name, wanted: wanted) { request in
            request.query.filter { $0.name.utf8.elementsEqual(name.utf8) }.map(\.value)
        }
    }

    /// Named values, one of which must be the expected value, or which together must be the expected ones.
    package static func values(
        of field: String,
        named name: String,
        wanted: [String],
        _ values: @escaping @Sendable (DummyRequest) -> [String]
    ) -> RequestMatcher {
        let isSecret = Credentials.isSecret(name)
        let shownWanted = isSecret ? Redaction.mask : wanted.map(quoted).joined(separator: ", ")
        return RequestMatcher(
            field: field,
            soleValue: wanted.joined(separator: "\n"),
            description: "\(field) is \(shownWanted)"
        ) { request, _ in
            let found = values(request)
            let isFound =
                wanted.count == 1
                ? found.contains { $0.utf8.elementsEqual(wanted[0].utf8) }
                : found.map { RowKey($0) } == wanted.map { RowKey($0) }
            guard !isFound else {
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

    package static func predicate(
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

    package static func quoted(_ text: String) -> String {
        "'\(text.count > 80 ? text.prefix(79) + "…" : text)'"
    }
}

// MARK: - Body

extension RequestMatcher {
    package struct Body {
        package struct Defect: Error {
            package let reason: String
        }

        private var parsed: Result<JSONValue, Defect>?

        package init() {}

        package mutating func json(of request: DummyRequest) -> Result<JSONValue, Defect> {
            let result = parsed ?? Self.parse(request.body)
            parsed = result
            return result
        }

        private static func parse(_ body: Data?) -> Result<JSONValue, Defect> {
            guard let body, !body.isEmpty else {
                return .failure(Defect(reason: "none, instead of JSON"))
            }
            do {
                return .success(try JSONText.value(of: body))
            } catch {
                return .failure(Defect(reason: "not JSON (\(body.count) bytes)"))
            }
        }
    }
}
