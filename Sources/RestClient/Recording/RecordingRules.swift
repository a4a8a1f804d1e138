// SPDX-License-Identifier: MIT

/// What of the traffic may be written down: whatever is not allowed is masked.
///
/// By default that is everything but a few harmless header fields. Allow what tells requests apart, and what your code reads
/// of the responses:
///
/// ```swift
/// var rules = RecordingRules()
/// rules.query = .only(["page", "sort"])
/// rules.bodyFields = .only(["id", "name", "items"])
/// ```
///
/// A masked value keeps its type, so that models still decode: texts become `<redacted>`, numbers 0, truth values `false`.
/// Replaying masks a request in the same way before it looks for it.
public struct RecordingRules: Sendable, Hashable {
    /// Which names' values may be written down.
    public enum Allowance: Sendable, Hashable {
        /// None.
        case none
        /// Those of these names, upper and lower case being alike, even if they look like secrets.
        case only(Set<String>)
        /// All but those whose names look like secrets.
        case all

        /// Whether the value of that name may be written down.
        func allows(_ name: String) -> Bool {
            switch self {
            case .none:
                return false
            case .only(let names):
                let name = name.lowercased()
                return names.contains { $0.lowercased() == name }
            case .all:
                return !Redaction.isSecret(name) && !["cookie", "set-cookie"].contains(name.lowercased())
            }
        }
    }

    /// The header fields, of requests and answers; by default those that say nothing about who asks.
    public var headers: Allowance = .only(Self.harmlessHeaders)

    /// The items of queries and the fields of forms; none by default.
    public var query: Allowance = .none

    /// The members of JSON bodies, at any depth; none by default.
    ///
    /// An element of a list goes by the list's name.
    public var bodyFields: Allowance = .none

    /// Whether bodies that are neither JSON nor a form are written down; they are not by default.
    public var allowsOtherBodies = false

    /// Values that the scan for secrets lets pass, because you looked at them.
    public var harmlessValues: Set<String> = []

    /// Creates the strictest rules.
    public init() {}

    /// The header fields that are allowed by default.
    public static let harmlessHeaders: Set<String> = [
        "accept", "accept-encoding", "accept-language", "accept-ranges", "age", "allow", "cache-control",
        "content-encoding",
        "content-language", "content-length", "content-range", "content-type", "date", "etag", "expires",
        "last-modified",
        "location", "range", "retry-after", "server", "transfer-encoding", "vary",
    ]
}
