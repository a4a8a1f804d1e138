// SPDX-License-Identifier: MIT

/// The name of an option of calls, with the type of its value.
///
/// Declare keys of your own, set them at any level, and read them in interceptors:
///
/// ```swift
/// extension CallOptionKey<String> { static var tenant: Self { Self("tenant") } }
///
/// manager.servers[.store] = Server("https://api.example.com").option(.tenant, "acme")
/// manager.request(.orders).option(.tenant, "umbrella")
///
/// let tenant = request.call.options[.tenant]    // in an interceptor
/// ```
///
/// Two keys are equal if their names and types are. A key of your own is never one of the library's, whatever its name.
public struct CallOptionKey<Value: Sendable>: Sendable {
    let name: String
    /// The identity of the values' type, which is another one for keys of the library than for those of its users.
    let valueType: ObjectIdentifier

    /// Joins the value of an outer level with that of an inner one; `nil` when the inner value replaces the outer one.
    let join: (@Sendable (_ outer: Value, _ inner: Value) -> Value)?

    /// Describes a value in explanations; `nil` when the value may be a secret.
    let describe: (@Sendable (Value) -> String)?
    /// A Boolean value that is true if only calls with equal values may share a request.
    let decidesResponse: Bool
    /// Compares values; `nil` when that is not possible, as with closures.
    let comparison: Comparison?
    /// A Boolean value that is true if the library sets the option for itself: explanations do not list it.
    let isInternal: Bool
    /// The stages that a call with the option passes, which others do without.
    let needs: StageNeeds

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - name: The name, unique among the keys of the same type. Explanations show it; values of your own options are
    ///     never shown.
    ///   - decidesResponse: Whether an interceptor may send another request, or return another response, for another
    ///     value: if so, which is the default, equal concurrent calls share a request only if their values are equal.
    ///     Values that are not `Hashable` are equal only if they were set at the same place. Pass `false` for a value
    ///     that differs from call to call, such as one for a log.
    ///   - join: Joins the value of an outer level with that of an inner one. By default the inner value replaces the
    ///     outer one.
    public init(
        _ name: String,
        decidesResponse: Bool = true,
        join: (@Sendable (_ outer: Value, _ inner: Value) -> Value)? = nil
    ) {
        self.name = name
        valueType = ObjectIdentifier(Self.self)
        self.join = join
        describe = nil
        self.decidesResponse = decidesResponse
        comparison = nil
        isInternal = false
        needs = []
    }

    init(
        _ name: String,
        join: (@Sendable (_ outer: Value, _ inner: Value) -> Value)? = nil,
        decidesResponse: Bool = false,
        comparison: Comparison? = nil,
        isInternal: Bool = false,
        needs: StageNeeds = [],
        describe: @escaping @Sendable (Value) -> String
    ) {
        self.name = name
        valueType = ObjectIdentifier(Value.self)
        self.join = join
        self.describe = describe
        self.decidesResponse = decidesResponse
        self.comparison = comparison
        self.isInternal = isInternal
        self.needs = needs
    }
}

extension CallOptionKey {
    /// Compares values of an option, so that results that depend on them can be memoized.
    ///
    /// Texts have no comparison, because Swift considers some texts with different bytes equal.
    struct Comparison: Sendable {
        /// Returns true if the values are equal in all respects; a value that is not equal to itself is never memoized.
        let areEqual: @Sendable (Value, Value) -> Bool
        let hash: @Sendable (Value, inout Hasher) -> Void
    }
}

extension CallOptionKey.Comparison where Value: Hashable {
    static var byValue: Self {
        Self(areEqual: { $0 == $1 }, hash: { $0.hash(into: &$1) })
    }
}

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

protocol OptionValue: AnyObject, Sendable {
    var needs: StageNeeds { get }

    /// The levels that contribute to the value, outermost first; empty if only one does.
    var levels: [CallOptions.Level] { get }

    var isInternal: Bool { get }

    var text: String? { get }

    /// The name of the option, unique among all types, and its value, if only calls with equal values may share a
    /// request; `nil` otherwise.
    var distinction: (name: String, value: CallOptions.Distinction)? { get }

    /// Returns true if another value is equal in all respects; false also if the values cannot be compared.
    func isEqual(to other: any OptionValue) -> Bool

    /// Feeds the value to a hasher; returns false if it cannot be compared.
    func hash(into hasher: inout Hasher) -> Bool

    /// Returns the value joined with that of an outer level; `nil` when it replaces the outer one.
    func joined(
        onto outer: any OptionValue,
        at level: CallOptions.Level,
        outer outerLevel: CallOptions.Level
    ) -> (any OptionValue)?
}
