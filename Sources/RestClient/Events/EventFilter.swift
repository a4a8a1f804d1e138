// SPDX-License-Identifier: MIT

public import JobGraphs

/// A filter for the events that an observer receives.
///
/// An event passes if it meets all conditions. A condition may list alternatives.
///
/// ```swift
/// let failures = manager.observe(.names(.callFailed, .callCancelled).api(.orders)) { print($0) }
/// ```
public struct EventFilter: Sendable, Hashable {
    // A condition that is `nil` is met by all events, including those of no call and of no group.
    var names: Set<ClientEvent.Name>?
    var apis: Set<String>?
    var callIdentifiers: Set<String>?
    var groups: Set<GroupID>?

    private init() {}

    /// The filter that all events pass.
    public static let all = EventFilter()

    /// The filter for the events that end calls.
    ///
    /// Each call emits exactly one of them.
    public static let callEnds = names(.callSucceeded, .callFailed, .callCancelled)

    /// Returns a filter by kind.
    ///
    /// - Parameter names: The kinds that pass.
    /// - Returns: The filter.
    public static func names(_ names: ClientEvent.Name...) -> Self {
        var filter = EventFilter()
        filter.names = Set(names)
        return filter
    }

    /// Adds an API operation as a condition or, if a condition exists, as an alternative.
    ///
    /// - Parameter alias: The alias of the operation.
    /// - Returns: The changed filter.
    public consuming func api<Model>(_ alias: APIAlias<Model>) -> Self {
        apis = (apis ?? []).union([alias.rawValue])
        return self
    }

    /// Adds a call's own identifier as a condition or, if a condition exists, as an alternative.
    ///
    /// - Parameter identifier: The identifier that ``CallConfigurable/callIdentifier(_:)`` set.
    /// - Returns: The changed filter.
    public consuming func callIdentifier(_ identifier: String) -> Self {
        callIdentifiers = (callIdentifiers ?? []).union([identifier])
        return self
    }

    /// Adds a group or a run of a graph as a condition or, if a condition exists, as an alternative.
    ///
    /// - Parameter id: The identifier.
    /// - Returns: The changed filter.
    public consuming func group(_ id: GroupID) -> Self {
        groups = (groups ?? []).union([id])
        return self
    }

    func matches(_ event: ClientEvent) -> Bool {
        Self.isMet(names, by: event.kind.name)
            && Self.isMet(apis, by: event.request?.api)
            && Self.isMet(callIdentifiers, by: event.request?.callIdentifier)
            && Self.isMet(groups, by: event.groupID)
    }

    private static func isMet<Value: Hashable>(_ condition: Set<Value>?, by value: Value?) -> Bool {
        condition.map { condition in value.map(condition.contains) ?? false } ?? true
    }
}
