// SPDX-License-Identifier: MIT

/// What the server's answer decodes to.
struct Record: Decodable, Sendable {
    struct Address: Decodable, Sendable {
        let street: String
        let city: String
        let zip: String
        let lat: Double
        let lon: Double
    }

    struct Order: Decodable, Sendable {
        let id: Int
        let sku: String
        let qty: Int
        let price: Double
        let shipped: Bool
    }

    let id: Int
    let name: String
    let email: String
    let active: Bool
    let score: Double
    let tags: [String]
    let address: Address
    let createdAt: String
    let note: String
    let orders: [Order]
}
