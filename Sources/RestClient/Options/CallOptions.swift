// SPDX-License-Identifier: MIT

import RestEssentials

/// The options of a call, set by its manager, its server, its API or the call itself.
///
/// The innermost level wins; collections such as header fields, cache tags and interceptors add up, outermost first.
/// All levels share the methods of ``CallConfigurable``:
///
/// ```swift
/// manager.options = manager.options.timeout(.seconds(30))
/// manager.servers[.store] = Server("https://api.example.com/v1").authentication(.bearer(session))
/// manager.apis[.orders] = API(.get, "/orders").cache(.http).timeout(.seconds(5))
/// let orders = try await manager.request(.orders).timeout(.seconds(2)).send()
/// ```
public struct CallOptions: Sendable {
    /// The level at which an option is set, from the outermost to the innermost.
    public enum Level: Int, Sendable, Hashable, Comparable, CaseIterable, CustomStringConvertible {
        /// The environment in force.
        case environment
        /// The manager.
        case manager
        /// The registered server.
        case server
        /// The registered API operation.
        case api
        /// The call.
        case call

        /// The name of the level, as in `server`.
        public var description: String {
            switch self {
            case .environment: "environment"
            case .manager: "manager"
            case .server: "server"
            case .api: "API"
            case .call: "call"
            }
        }

        /// Returns true if a level is outside another one.
        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// The options, in the order in which they were first set.
    private var entries: [Entry] = []

    /// Creates options without any values.
    public init() {}

    /// The value of an option; `nil` when no level sets it.
    ///
    /// Assigning replaces the value of this level, and `nil` leaves the option to the outer levels.
    public subscript<Value>(key: CallOptionKey<Value>) -> Value? {
        get { stored(key)?.value }
        set {
            let index = entries.firstIndex { $0.isFor(key) }
            guard let newValue else {
                if let index {
                    entries.remove(at: index)
                }
                return
            }
            let entry = Entry(key, newValue)
            if let index {
                entries[index] = entry
            } else {
                entries.append(entry)
            }
        }
    }
}

// MARK: - Levels

extension CallOptions {
    private struct Entry: Sendable {
        let type: ObjectIdentifier
        let name: String
        var level: Level
        var value: any OptionValue

        init<Value>(_ key: CallOptionKey<Value>, _ value: Value) {
            type = key.valueType
            name = key.name
            level = .call
            self.value = StoredCallOption(value: value, key: key)
        }

        func isFor<Value>(_ key: CallOptionKey<Value>) -> Bool {
            type == key.valueType && name == key.name
        }

        /// Returns the option combined with the outer level's value, if the option adds up.
        func joined(onto outer: Entry) -> Entry {
            guard let joined = value.joined(onto: outer.value, at: level, outer: outer.level) else {
                return self
            }
            var entry = self
            entry.value = joined
            return entry
        }
    }

    private func stored<Value>(_ key: CallOptionKey<Value>) -> StoredCallOption<Value>? {
        // A loop over the entries themselves would copy each of them.
        for index in entries.indices where entries[index].type == key.valueType && entries[index].name == key.name {
            return entries[index].value as? StoredCallOption<Value>
        }
        return nil
    }

    func overlaid(with inner: CallOptions, at level: Level? = nil) -> CallOptions {
        if inner.entries.isEmpty {
            return self
        }
        if entries.isEmpty, level == nil {
            return inner
        }
        var merged = self
        for var entry in inner.entries {
            if let level {
                entry.level = level
            }
            if let index = merged.entries.firstIndex(where: { $0.type == entry.type && $0.name == entry.name }) {
                merged.entries[index] = entry.joined(onto: merged.entries[index])
            } else {
                merged.entries.append(entry)
            }
        }
        return merged
    }

    func level<Value>(of key: CallOptionKey<Value>) -> Level? {
        entries.first { $0.isFor(key) }?.level
    }

    /// The identity of an option's value, which the calls of one node, or of one API and server, share.
    func identity<Value>(of key: CallOptionKey<Value>) -> ObjectIdentifier? {
        entries.first { $0.isFor(key) }.map { ObjectIdentifier($0.value) }
    }

    /// The values that the levels contributed to an option that adds up, outermost first.
    func contributions<Value>(to key: CallOptionKey<Value>) -> [(level: Level, value: Value)] {
        guard let entry = entries.first(where: { $0.isFor(key) }), let stored = entry.value as? StoredCallOption<Value>
        else {
            return []
        }
        return stored.parts.isEmpty ? [(entry.level, stored.value)] : stored.parts
    }

    var needs: StageNeeds { entries.reduce(into: []) { $0.formUnion($1.value.needs) } }

    /// The values that must be equal for calls to share a request, by the names of their options.
    var distinctions: [String: CallOptions.Distinction] {
        let distinctions = entries.compactMap { $0.value.distinction }
        return Dictionary(distinctions.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    }

    /// Returns the options in force, in order of their names, without those that the library sets for itself.
    func explanations(in environment: EnvironmentOrigin? = nil) -> [CallOptions.Explanation] {
        let listed = entries.filter { !$0.value.isInternal }
        let explanations = listed.map { entry in
            CallOptions.Explanation(
                name: entry.name,
                levels: entry.value.levels.isEmpty ? [entry.level] : entry.value.levels,
                value: entry.value.text,
                environment: environment
            )
        }
        return explanations.sorted { $0.name < $1.name }
    }
}

// MARK: - Comparing

extension CallOptions {
    /// Returns true if other options are equal in all respects and were set in the same order; false also if they
    /// cannot be compared.
    func areEqual(to other: CallOptions) -> Bool {
        guard entries.count == other.entries.count else {
            return false
        }
        // A loop over the entries themselves would copy each of them.
        for index in entries.indices {
            guard entries[index].type == other.entries[index].type, entries[index].name == other.entries[index].name,
                entries[index].level == other.entries[index].level,
                entries[index].value.isEqual(to: other.entries[index].value)
            else {
                return false
            }
        }
        return true
    }

    /// Feeds the options to a hasher; returns false if some of them cannot be compared.
    func hash(into hasher: inout Hasher) -> Bool {
        for index in entries.indices {
            hasher.combine(entries[index].type)
            guard entries[index].value.hash(into: &hasher) else {
                return false
            }
        }
        return true
    }
}

// MARK: - CallConfigurable

extension CallOptions: CallConfigurable {
    /// The options themselves.
    public var options: CallOptions {
        get { self }
        set { self = newValue }
    }
}

extension CallOptions: MirroredByDescription {
    /// The options by name, one per line; values that may be secrets are omitted.
    public var description: String {
        MessageText.lines(explanations().map(\.description))
    }
}

/// The value of an option with the contributions of its levels.
///
/// It is a class so that merging levels copies references, whatever the values are.
final class StoredCallOption<Value: Sendable>: OptionValue {
    let value: Value
    let key: CallOptionKey<Value>
    /// The contributions of the levels, outermost first; empty if there is only one.
    let parts: [(level: CallOptions.Level, value: Value)]

    init(value: Value, key: CallOptionKey<Value>, parts: [(level: CallOptions.Level, value: Value)] = []) {
        self.value = value
        self.key = key
        self.parts = parts
    }

    var levels: [CallOptions.Level] { parts.map(\.level) }

    var needs: StageNeeds { key.needs }

    var isInternal: Bool { key.isInternal }

    var text: String? { key.describe?(value) }

    var distinction: (name: String, value: CallOptions.Distinction)? {
        guard key.decidesResponse else {
            return nil
        }
        if let text {
            return (key.name, .words(text))
        }
        // An option of the user's. The call that sends the shared request keeps this object, so that no other one can
        // have its identity.
        let distinction: CallOptions.Distinction =
            value is any Hashable ? .value(value) : .identity(ObjectIdentifier(self))
        return ("\(key.name): \(String(reflecting: Value.self))", distinction)
    }

    func isEqual(to other: any OptionValue) -> Bool {
        guard let comparison = key.comparison, let other = other as? StoredCallOption<Value> else {
            return false
        }
        return comparison.areEqual(value, other.value)
    }

    func hash(into hasher: inout Hasher) -> Bool {
        guard let comparison = key.comparison, comparison.areEqual(value, value) else {
            return false
        }
        comparison.hash(value, &hasher)
        return true
    }

    func joined(
        onto outer: any OptionValue,
        at level: CallOptions.Level,
        outer outerLevel: CallOptions.Level
    ) -> (any OptionValue)? {
        guard let join = key.join, let outer = outer as? StoredCallOption<Value> else {
            return nil
        }
        let before = outer.parts.isEmpty ? [(outerLevel, outer.value)] : outer.parts
        return StoredCallOption(value: join(outer.value, value), key: key, parts: before + [(level, value)])
    }
}

extension CallOptions {
    /// An option in force for a call, and the levels that set it.
    public struct Explanation: Sendable, Hashable, CustomStringConvertible {
        /// The name of the option.
        public let name: String

        /// The levels from which the value comes, outermost first; more than one only if the option adds up.
        public let levels: [CallOptions.Level]

        /// The value; `nil` when it may be a secret.
        public let value: String?

        let environment: EnvironmentOrigin?

        /// A Boolean value that is true if the environment of the call, or a server or an API registered in it, set the
        /// option.
        public var isFromEnvironment: Bool {
            levels.contains { environment?.levels.contains($0) ?? false }
        }

        /// The option in words, as in `timeout: 5.0 seconds (API)` or `timeout: 5.0 seconds (server of 'staging')`.
        public var description: String {
            let origins = levels.map { environment?.text(of: $0) ?? $0.description }
            let origin = "(\(origins.joined(separator: ", ")))"
            return MessageText.of(value.map { "\(name): \($0) \(origin)" } ?? "\(name) \(origin)")
        }
    }
}

struct EnvironmentOrigin: Sendable, Hashable {
    /// The name; `nil` if the environment has none.
    let alias: EnvironmentAlias?
    let levels: Set<CallOptions.Level>

    /// Returns a level with the environment that it comes from, as in `server of 'staging'`.
    func text(of level: CallOptions.Level) -> String {
        guard levels.contains(level) else {
            return level.description
        }
        let name = alias.map { "'\(AliasText.shown($0.rawValue))'" }
        if level == .environment {
            return name.map { "environment \($0)" } ?? "environment"
        }
        return "\(level) of \(name ?? "the environment")"
    }
}
