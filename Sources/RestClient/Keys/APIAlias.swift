// SPDX-License-Identifier: MIT

/// The alias of an API operation, typed with the model that its response decodes to.
///
/// An alias is **not** a credential. Declare the aliases once and use them as implicit members, so that the name
/// determines the type of the response:
///
/// ```swift
/// extension APIAlias where Model == [Order] { static var orders: Self { "orders" } }
///
/// manager.apis[.orders] = API(.get, "/users/{user}/orders")
/// let orders = try await manager.request(.orders).parameter("user", 7).send()    // [Order]
/// ```
///
/// Use `Void` for responses whose body does not matter, `Data` for the bytes as received, `String` for text, and an
/// optional for responses that may be empty.
public struct APIAlias<Model>: TextAlias {
    /// The alias as text; case matters.
    public let rawValue: String

    /// Creates an alias from text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}
