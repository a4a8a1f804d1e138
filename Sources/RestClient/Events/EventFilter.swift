// SPDX-License-Identifier: MIT

/// Which events an observer wants to hear of.
///
/// Conditions are joined: an event passes when it meets all that are set. Alternatives stand in one condition.
///
/// ```swift
/// let failures = manager.observe(.names(.callFailed, .callCancelled).api(.orders)) { print($0) }
/// ```
public struct EventFilter: Sendable, Hashable {
    /// The kinds that pass; `nil` for all of them.
    public var names: Set<ClientEvent.Name>?

    /// The names of the API operations whose calls' events pass; `nil` for all events, those of no call too.
    public var apis: Set<String>?

    /// The callers' own identifiers of those calls whose events pass; `nil` for all events, those of no call too.
    public var callIdentifiers: Set<String>?

    /// Creates a filter that lets everything pass.
    public init() {}

    /// The filter that lets everything pass.
    public static let all = EventFilter()

    /// The filter for the events that end calls: each call brings exactly one of them.
    public static let callEnds = names(.callSucceeded, .callFailed, .callCancelled)

    /// Makes a filter by kind.
    ///
    /// - Parameter names: The kinds that pass.
    /// - Returns: The filter.
    public static func names(_ names: ClientEvent.Name...) -> Self {
        var filter = EventFilter()
        filter.names = Set(names)
        return filter
    }

    /// Makes a filter by API operation.
    ///
    /// - Parameter key: The alias of the operation.
    /// - Returns: The filter.
    public static func api<Model>(_ key: APIAlias<Model>) -> Self {
        all.api(key)
    }

    /// Makes a filter by the identifier that ``CallConfigurable/callIdentifier(_:)`` set.
    ///
    /// - Parameter identifier: The identifier.
    /// - Returns: The filter.
    public static func callIdentifier(_ identifier: String) -> Self {
        all.callIdentifier(identifier)
    }

    /// Also asks for an API operation; asked for several, the filter lets the events of each pass.
    ///
    /// - Parameter key: The alias of the operation.
    /// - Returns: A narrower filter, or one with another alternative.
    public func api<Model>(_ key: APIAlias<Model>) -> Self {
        var filter = self
        filter.apis = (apis ?? []).union([key.rawValue])
        return filter
    }

    /// Also asks for a call's own identifier; asked for several, the filter lets the events of each pass.
    ///
    /// - Parameter identifier: The identifier that ``CallConfigurable/callIdentifier(_:)`` set.
    /// - Returns: A narrower filter, or one with another alternative.
    public func callIdentifier(_ identifier: String) -> Self {
        var filter = self
        filter.callIdentifiers = (callIdentifiers ?? []).union([identifier])
        return filter
    }

    /// Whether an event passes.
    ///
    /// - Parameter event: The event.
    /// - Returns: Whether it meets all conditions.
    public func matches(_ event: ClientEvent) -> Bool {
        Self.isMet(names, by: event.kind.name)
            && Self.isMet(apis, by: event.request?.api)
            && Self.isMet(callIdentifiers, by: event.request?.callIdentifier)
    }

    private static func isMet<Value: Hashable>(_ condition: Set<Value>?, by value: Value?) -> Bool {
        guard let condition else {
            return true
        }
        return value.map(condition.contains) ?? false
    }
}
