// SPDX-License-Identifier: MIT

/// The model that the server's response decodes to.
package struct Record: Decodable, Sendable {
    package struct Address: Decodable, Sendable {
        package let street: String
        package let city: String
        package let zip: String
        package let lat: Double
        package let lon: Double
    }

    package struct Order: Decodable, Sendable {
        package let id: Int
        package let sku: String
        package let qty: Int
        package let price: Double
        package let shipped: Bool
    }

    package let id: Int
    package let name: String
    package let email: String
    package let active: Bool
    package let score: Double
    package let tags: [String]
    package let address: Address
    package let createdAt: String
    package let note: String
    package let orders: [Order]
}
