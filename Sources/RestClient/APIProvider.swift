// SPDX-License-Identifier: MIT

/// A part of a manager whose calls begin with some API operations only, as a type.
///
/// A part of a program that is given a provider begins its calls with the operations that the provider names, and has
/// no way to the manager. It documents what that part needs, but enforces nothing: the node of a call has all verbs,
/// including those that choose another target.
///
/// ```swift
/// struct OrderAPIs: Sendable {
///     let orders: APIAlias<[Order]> = "orders"
///     let cancel: APIAlias<Void> = "cancel-order"
/// }
///
/// let shop = manager.provider(OrderAPIs())
/// let orders = try await shop.request(\.orders).query(["page": 2]).send()
/// ```
///
/// Providers of one manager share everything: registries, cache, workers, tokens and events.
public struct APIProvider<APIs: Sendable>: Sendable {
    private let manager: RestClientManager
    private let apis: APIs

    init(_ manager: RestClientManager, _ apis: APIs) {
        self.manager = manager
        self.apis = apis
    }

    /// Begins a call of one of the operations.
    ///
    /// - Parameter api: The property that holds the alias of the operation.
    /// - Returns: A node that the manager sends.
    public func request<Model: Decodable & Sendable>(_ api: KeyPath<APIs, APIAlias<Model>>) -> RequestNode<Model> {
        manager.request(apis[keyPath: api])
    }

    /// Begins a call of one of the operations whose response's body does not matter.
    ///
    /// - Parameter api: The property that holds the alias of the operation.
    /// - Returns: A node that the manager sends.
    public func request(_ api: KeyPath<APIs, APIAlias<Void>>) -> RequestNode<Void> {
        manager.request(apis[keyPath: api])
    }

    /// Returns a provider of some of these operations.
    ///
    /// - Parameter part: The property that holds the aliases.
    /// - Returns: The provider.
    public func provider<Part: Sendable>(_ part: KeyPath<APIs, Part>) -> APIProvider<Part> {
        APIProvider<Part>(manager, apis[keyPath: part])
    }
}

extension RestClientManager {
    /// Returns a part of the manager that exposes only some API operations; see ``APIProvider``.
    ///
    /// - Parameter apis: A value whose properties are the aliases of the operations.
    /// - Returns: The provider.
    public func provider<APIs: Sendable>(_ apis: APIs) -> APIProvider<APIs> {
        APIProvider(self, apis)
    }
}
