// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials

/// The parts of exchanges that are recorded unmasked.
///
/// All others are masked.
///
/// By default only a few harmless header fields are allowed. Allow the parts that distinguish requests, and those that
/// your code reads from responses:
///
/// ```swift
/// var rules = RecordingRules()
/// rules.query = .only(["page", "sort"])
/// rules.bodyFields = .only(["id", "name", "items"])
/// ```
///
/// A masked value keeps its type, so that models still decode: strings become `<redacted>`, numbers 0 and Booleans
/// `false`. Replaying masks a request in the same way before it looks it up.
public struct RecordingRules: Sendable, Hashable {
    /// The names whose values are recorded.
    public enum Allowance: Sendable, Hashable {
        /// No names.
        case none
        /// These names, case-insensitively, even if they look like secrets.
        case only(Set<String>)
        /// All names except those that look like secrets, among them the header fields that are known to hold
        /// credentials.
        ///
        /// Names look like secrets here if descriptions mask their values: names with words like `token`, `password` or
        /// `session`, `key` alone, and a key that the word before it says to be secret (`access_key`, unlike
        /// `sort_key`); among header fields, nearly all that end in `key`. The URLs in `Location`, `Content-Location`,
        /// `Referer` and `Link` are masked by the rule for queries.
        case all

        func allows(_ name: String) -> Bool {
            allows(name, isSecret: Credentials.isSecret(name))
        }

        /// Returns true if the value of a name may be recorded, which looks like that of a secret or not.
        func allows(_ name: String, isSecret: Bool) -> Bool {
            switch self {
            case .none:
                return false
            case .only(let names):
                guard !MarkRun.isExcessive(name) else {
                    return false
                }
                let name = name.lowercased()
                return names.contains { $0.lowercased() == name }
            case .all:
                return !isSecret && !["cookie", "set-cookie"].contains(name.lowercased())
            }
        }
    }

    /// The header fields of requests and responses.
    ///
    /// Defaults to those that do not identify the client.
    public var headers: Allowance = .only(Self.harmlessHeaders)

    /// The items of queries and the fields of forms.
    ///
    /// Defaults to none.
    ///
    /// An item without a value is recorded if its name is allowed. Secrets within an allowed value, as in a URL or in
    /// JSON, are masked.
    public var query: Allowance = .none

    /// The members of JSON bodies, at any depth.
    ///
    /// Defaults to none.
    ///
    /// An element of an array has the array's name.
    public var bodyFields: Allowance = .none

    /// True to record bodies that are neither JSON nor a form.
    ///
    /// Defaults to false.
    public var allowsOtherBodies = false

    /// Values that you have reviewed, and that the scan for secrets ignores.
    public var harmlessValues: Set<String> = []

    /// Creates the strictest rules.
    public init() {}

    /// The rules that allow all names except those that look like secrets, see ``Allowance/all``.
    ///
    /// Bodies that are neither JSON nor a form are masked.
    public static var exceptSecrets: RecordingRules {
        var rules = RecordingRules()
        rules.headers = .all
        rules.query = .all
        rules.bodyFields = .all
        return rules
    }

    /// The header fields that are allowed by default.
    public static let harmlessHeaders: Set<String> = [
        "accept", "accept-encoding", "accept-language", "accept-ranges", "age", "allow", "cache-control",
        "content-encoding",
        "content-language", "content-length", "content-range", "content-type", "date", "etag", "expires",
        "last-modified",
        "location", "range", "retry-after", "server", "transfer-encoding", "vary",
    ]
}
