// SPDX-License-Identifier: MIT

public import RestEssentials

extension CachePolicy {
    struct Details: Sendable, Hashable {
        /// The names that the digest of the request's body ignores; `nil` unless such requests are reads.
        var bodyKey: Set<String>?

        var migration = PolicyClosure<@Sendable (Data) throws -> Data?>()

        var condition = PolicyClosure<@Sendable (RawResponse) -> Bool>()

        var ignoredQuery: Set<String> = []

        /// True if the key does not depend on the order of query items with different names.
        var ignoresQueryOrder = false

        var keyParts: [String] = []

        /// The text that stands for the URL in the key; `nil` for the URL itself.
        var ownKey: String?
    }

    /// Details by reference, so that a policy without any is small: each call copies and compares its policy.
    enum OptionalDetails: Sendable, Hashable {
        case none
        indirect case some(Details)

        var value: Details {
            get {
                switch self {
                case .none: Details()
                case .some(let details): details
                }
            }
            set { self = .some(newValue) }
        }

        static func == (left: OptionalDetails, right: OptionalDetails) -> Bool {
            switch (left, right) {
            case (.none, .none): true
            default: left.value == right.value
            }
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(value)
        }
    }

    /// True if equal policies are equal in all respects, which is unknown for closures and texts.
    var hasComparableParts: Bool {
        if case .none = details { true } else { false }
    }

    var bodyKey: Set<String>? { details.value.bodyKey }

    var condition: PolicyClosure<@Sendable (RawResponse) -> Bool> { details.value.condition }

    var ignoredQuery: Set<String> { details.value.ignoredQuery }

    var keyParts: [String] { details.value.keyParts }

    var ownKey: String? { details.value.ownKey }
}

/// A closure of a policy.
///
/// Any two of them are equal, because closures cannot be compared and equal calls must be able to share a request.
struct PolicyClosure<Function: Sendable>: Sendable, Hashable {
    var call: Function?

    static func == (_: Self, _: Self) -> Bool { true }

    func hash(into _: inout Hasher) {}
}

extension CachePolicy {
    /// Returns the policy with a migration of stored bodies to the format of the current model.
    ///
    /// Without it, a stored body that cannot be decoded, for example after an update of the program, is a miss. With
    /// it, the closure first converts the body. The result is decoded, delivered, and stored in place of the old body,
    /// with the same age and validators, and no request is sent. If the result cannot be decoded either, it is a miss.
    ///
    /// ```swift
    /// manager.apis[.orders] = API(.get, "/orders").cache(.http.migrating { old in
    ///     try JSONEncoder().encode(JSONDecoder().decode([OldOrder].self, from: old).map(Order.init))
    /// })
    /// ```
    ///
    /// It is not called for bodies that decode, nor for the responses of servers and dummies. Its result must be valid
    /// for every model that the response is decoded to.
    ///
    /// - Parameter migrate: Returns the converted body; `nil` or an error makes it a miss. It may be called on any
    ///   thread.
    /// - Returns: The changed policy. Policies that differ only in this are equal.
    public func migrating(_ migrate: @escaping @Sendable (Data) throws -> Data?) -> CachePolicy {
        with { $0.details.value.migration.call = migrate }
    }

    /// Returns the converted body; `nil` if there is none.
    ///
    /// A part of a body cannot be converted, and the response of a server or a dummy never has an older format.
    func migratedBody(of response: RawResponse) -> Data? {
        guard response.source.isCache, response.status != .partialContent, !response.body.isEmpty else {
            return nil
        }
        return try? details.value.migration.call?(response.body)
    }
}

extension StoredResponse {
    /// Returns the response with its body in another format of the same state, which its validator still identifies: a
    /// weak one now, as it does not identify these bytes.
    func migrated(to body: Data) -> StoredResponse {
        rewritten(as: body) { head in
            if let tag = head.headers.text(.eTag), EntityTag(tag)?.isWeak == false {
                head.headers.set(.eTag, text: "W/\(tag)")
            }
        }
    }
}
