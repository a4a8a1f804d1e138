// SPDX-License-Identifier: MIT

extension RestClientManager {
    /// Makes a manager that shares the registries of this one: servers, API operations, path templates and dogmas.
    ///
    /// ```swift
    /// let background = manager.clone(.init().timeout(.seconds(600)).priority(.low))
    /// manager.servers[.store] = "https://api.example.com/v2"      // holds for both
    /// ```
    ///
    /// Each finds with its next call what the other one registers. Everything else is the clone's own: options,
    /// default server and environments (which begin as copies), stores, workers, dummies, events and running calls.
    /// Options of the configuration go before those that this manager has now.
    ///
    /// - Parameter configuration: The configuration of the clone; the defaults by default.
    /// - Returns: The clone.
    public func clone(_ configuration: Configuration = Configuration()) -> RestClientManager {
        var configuration = configuration
        configuration.options = options.overlaid(with: configuration.options)
        return RestClientManager(configuration: configuration, sharing: core.registries)
    }
}
