// SPDX-License-Identifier: MIT

/// A part of a manager that calls some API operations only, as a type.
///
/// A part of a program that is given a provider calls the operations that the provider names, and nothing else:
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
/// The node of a call has all verbs. One that chooses another target (`url(_:)`, `server(_:)`, `serverAddress(_:)`,
/// `endpoint(_:)`, `api(_:)`), another method or another `Host` makes the call fail with
/// ``RestClientError/Code-swift.struct/targetNotExposed`` when it is sent, and nothing goes on the wire; so do a
/// fallback of the node to another server, an interceptor of the node that changes the URL before its query, and
/// the URL of a further page that differs in more than the query. This holds for the node wherever it is sent: in
/// groups and graphs, as a stream, a download or a WebSocket, and by a clone of the manager.
///
/// What the provider's owner set still holds: the registries say where an operation is, and the options of the manager,
/// the server and the API may fall back to another server. A server may redirect a call, by the rules of
/// ``RedirectPolicy``.
///
/// A provider keeps a part of a program to what was agreed. It does not protect from hostile code in the process, which
/// can create a manager.
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
    /// - Returns: A node that the manager sends, and that keeps to the operation.
    public func request<Model: Decodable & Sendable>(_ api: KeyPath<APIs, APIAlias<Model>>) -> RequestNode<Model> {
        manager.request(apis[keyPath: api]).confined()
    }

    /// Begins a call of one of the operations whose response's body does not matter.
    public func request(_ api: KeyPath<APIs, APIAlias<Void>>) -> RequestNode<Void> {
        manager.request(apis[keyPath: api]).confined()
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
