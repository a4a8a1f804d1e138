// SPDX-License-Identifier: MIT

extension CallOptions {
    /// The value of an option, as far as calls that share a request must have it in common.
    enum Distinction: Hashable, Sendable {
        /// The value in words.
        case words(String)
        /// A value that is `Hashable`.
        case value(any Sendable)
        /// The identity of a value that cannot be compared.
        case identity(ObjectIdentifier)

        static func == (left: Distinction, right: Distinction) -> Bool {
            switch (left, right) {
            case (.words(let left), .words(let right)): left == right
            case (.value(let left), .value(let right)): comparable(left) == comparable(right)
            case (.identity(let left), .identity(let right)): left == right
            default: false
            }
        }

        func hash(into hasher: inout Hasher) {
            switch self {
            case .words(let words): hasher.combine(words)
            case .value(let value): hasher.combine(Self.comparable(value))
            case .identity(let identity): hasher.combine(identity)
            }
        }

        private static func comparable(_ value: any Sendable) -> AnyHashable? {
            (value as? any Hashable).map { AnyHashable($0) }
        }
    }
}
