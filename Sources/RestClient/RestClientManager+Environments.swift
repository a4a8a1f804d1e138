// SPDX-License-Identifier: MIT

import RestEssentials

extension RestClientManager {
    /// The environments by name, and the active one.
    public var environments: Environments { Environments(registries: core.registries) }

    /// The environments of a manager: named sets of servers, options and registrations, of which one is active.
    ///
    /// ```swift
    /// manager.environments[.production] = ClientEnvironment(servers: [.store: "https://api.example.com/v1"])
    /// manager.environments[.staging] = ClientEnvironment(servers: [.store: "https://staging.example.com/v1"])
    /// try manager.environments.use(fromVariable: "STORE_ENVIRONMENT", else: .production)
    /// ```
    public struct Environments: Sendable {
        let registries: Registries

        /// The environment with a name; assigning `nil` removes it.
        ///
        /// A change of the active environment affects the calls that begin later. If the active environment is removed,
        /// calls fail until it is registered again: nothing falls back to another system.
        public subscript(alias: EnvironmentAlias) -> ClientEnvironment? {
            get { registries.environments.layers[alias]?.environment }
            nonmutating set { registries.updateEnvironments { $0.set(newValue, for: alias) } }
        }

        /// The registered names, in order.
        public var names: [EnvironmentAlias] {
            registries.environments.layers.keys.sorted { $0.rawValue < $1.rawValue }
        }

        /// The name of the environment for a call of this task; `nil` for none.
        ///
        /// Within `withEnvironment` it is that of the innermost scope, or `nil` if the scope has an unnamed
        /// environment.
        public var current: EnvironmentAlias? {
            if let scope = EnvironmentScope.innermost(for: registries) {
                return scope.alias
            }
            return registries.environments.current
        }

        /// Activates an environment, as a whole, for all calls that begin from now on.
        ///
        /// A call keeps the environment with which it began, for all its attempts. The nodes of a graph are separate
        /// calls: run a graph in `withEnvironment` to use one environment for all.
        ///
        /// - Parameter alias: The name; `nil` for the manager's own tables alone.
        /// - Throws: ``RestClientError`` with the code ``RestClientError/Code-swift.struct/unknownEnvironment``, which
        ///   lists the registered names. The active environment is unchanged.
        public func use(_ alias: EnvironmentAlias?) throws(RestClientError) {
            try registries.updateEnvironments { table throws(RestClientError) in try table.use(alias) }
        }

        /// Activates the environment whose name is in an environment variable of the process.
        ///
        /// - Parameters:
        ///   - variable: The name of the variable, as in `STORE_ENVIRONMENT`.
        ///   - fallback: The environment if the variable is missing or empty; none by default.
        /// - Throws: ``RestClientError`` with the code ``RestClientError/Code-swift.struct/unknownEnvironment``, which
        ///   lists the registered names. The active environment is unchanged.
        public func use(fromVariable variable: String, else fallback: EnvironmentAlias? = nil) throws(RestClientError) {
            try use(fromVariable: variable, in: ProcessInfo.processInfo.environment, else: fallback)
        }

        func use(
            fromVariable variable: String,
            in variables: [String: String],
            else fallback: EnvironmentAlias?
        ) throws(RestClientError) {
            try registries.updateEnvironments { table throws(RestClientError) in
                try table.use(variable: variable, in: variables, else: fallback)
            }
        }
    }
}

// MARK: - Scopes

extension RestClientManager {
    /// Runs an operation in a registered environment, which only the calls made within it use.
    ///
    /// The scope belongs to the task and is inherited by its child tasks and by calls that are started with
    /// ``RequestNode/resume(_:)``, but not by `Task.detached`. It uses the environment as registered when the scope
    /// began. Scopes nest; the innermost one applies.
    ///
    /// - Parameters:
    ///   - alias: The name of the environment.
    ///   - isolation: The actor to run on; the caller's by default.
    ///   - operation: The operation.
    /// - Returns: The operation's result.
    /// - Throws: ``RestClientError`` with the code ``RestClientError/Code-swift.struct/unknownEnvironment``, before the
    ///   operation begins, or the operation's error.
    public func withEnvironment<Result>(
        _ alias: EnvironmentAlias,
        isolation: isolated (any Actor)? = #isolation,
        operation: () async throws -> Result
    ) async throws -> Result {
        let layer = try core.registries.environments.layer(alias)
        return try await withLayer(layer, isolation: isolation, operation: operation)
    }

    /// Runs an operation in an unnamed environment, which only the calls made within it use.
    ///
    /// Concurrent tests may each have their own. Its calls share no stored responses with other calls.
    ///
    /// In every other respect it is like the overload with a name.
    public func withEnvironment<Result>(
        _ environment: ClientEnvironment,
        isolation: isolated (any Actor)? = #isolation,
        operation: () async throws -> Result
    ) async throws -> Result {
        try await withLayer(EnvironmentLayer(environment, as: nil), isolation: isolation, operation: operation)
    }

    private func withLayer<Result>(
        _ layer: EnvironmentLayer,
        isolation: isolated (any Actor)?,
        operation: () async throws -> Result
    ) async throws -> Result {
        try await EnvironmentScope.open(layer, owner: core.registries, isolation: isolation, operation: operation)
    }
}
