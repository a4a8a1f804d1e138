// SPDX-License-Identifier: MIT

/// The record of the library's benchmarks: about 1 KB of JSON.
struct Record: Codable, Equatable {
    struct Address: Codable, Equatable {
        var street: String
        var city: String
        var zip: String
        var lat: Double
        var lon: Double
    }

    struct Order: Codable, Equatable {
        var id: Int
        var sku: String
        var qty: Int
        var price: Double
        var shipped: Bool
    }

    var id: Int
    var name: String
    var email: String
    var active: Bool
    var score: Double
    var tags: [String]
    var address: Address
    var createdAt: String
    var note: String?
    var orders: [Order]

    static func sample(_ seed: Int) -> Record {
        Record(
            id: 1_000_000 + seed,
            name: "Ada Lovelace \(seed)",
            email: "ada.\(seed)@example.com",
            active: seed.isMultiple(of: 2),
            score: 98.25 + Double(seed % 7) / 8,
            tags: ["alpha", "beta", "gamma", "delta", "epsilon"],
            address: Address(
                street: "12 Analytical Row",
                city: "London",
                zip: "NW1 4RY",
                lat: 51.523767,
                lon: -0.158555
            ),
            createdAt: "2026-11-22T11:05:38Z",
            note: "First programmer; says \"hello\"\nand more than that.",
            orders: (0..<10)
                .map {
                    Order(
                        id: 5000 + $0,
                        sku: "SKU-\(10_000 + $0 * 37)",
                        qty: $0 % 4 + 1,
                        price: 19.99 + Double($0),
                        shipped: $0 % 3 == 0
                    )
                }
        )
    }
}
