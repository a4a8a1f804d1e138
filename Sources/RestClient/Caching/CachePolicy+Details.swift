// SPDX-License-Identifier: MIT

extension CachePolicy {
    struct Details: Sendable, Hashable {
        /// The names that the digest of the request's body ignores; `nil` unless such requests are reads.
        var bodyKey: Set<String>?

        var migration = CacheMigration()

        var condition = CacheCondition()

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

    var migration: CacheMigration { details.value.migration }

    var condition: CacheCondition { details.value.condition }

    var ignoredQuery: Set<String> { details.value.ignoredQuery }

    var keyParts: [String] { details.value.keyParts }

    var ownKey: String? { details.value.ownKey }
}
