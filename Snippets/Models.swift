// SPDX-License-Identifier: MIT

// Models, and the dogmas that encode and decode them.
// snippet.hide
import Foundation
import RestClient

extension ServerAlias {
    static let store: ServerAlias = "store"
    static let legacy: ServerAlias = "legacy"
}
struct Order: Codable, Sendable { let id: Int }
enum OrderState: String, Encodable { case open, closed }

let manager = RestClientManager()
// snippet.show
// Members in snake case, and dates in seconds; one closure for each direction.
manager.dogmas["snake"] = JSONDogma(
    configureEncoder: { encoder in
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.dateEncodingStrategy = .secondsSince1970
    },
    configureDecoder: { decoder in
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .secondsSince1970
    }
)
manager.defaultDogma = "snake"
// Or for the calls of a server, of an API, or one call.
manager.servers[.store] = Server("https://api.example.com/v1").dogma("snake")
manager.servers[.legacy] = Server("https://legacy.example.com").dogma("csv")
// snippet.hide
func readings() async throws {
    // snippet.show
    // JSON of any shape, without a model.
    let report = try await manager.request(JSONValue.self).endpoint("/report").send()
    let title = report["title"]?.stringValue
    let first = report["rows"]?[0]?["count"]?.intValue

    // The bytes as they are, and a response without a body or with an empty one.
    let image = try await manager.request(Data.self).endpoint("/logo.png").send()
    try await manager.request(Void.self).delete().endpoint("/orders/7").send()
    let latest = try await manager.request(Order?.self).endpoint("/orders/latest").send()
    // snippet.hide
    print(title ?? "", first ?? 0, image.count, latest?.id ?? 0)
}

func queries() async throws {
    // snippet.show
    // A model as the query, ?minimum=5&state=open: members without a value are left out.
    struct Filter: Encodable {
        var state: OrderState
        var minimum: Int?
        var user: String?
    }
    let filter = Filter(state: .open, minimum: 5)
    let orders = try await manager.request([Order].self).endpoint("/orders").query(filter).send()
    // snippet.hide
    print(orders.count)
}
// snippet.show

/// A format of your own: rows of cells.
struct CSVDogma: Dogma {
    struct NotRows: Error {}

    var acceptedContentType: String? { "text/csv" }

    func encode(_ model: some Encodable, for request: DogmaRequest) throws -> EncodedBody {
        guard let rows = model as? [[String]] else {
            throw NotRows()
        }
        let text = rows.map { $0.joined(separator: ",") }.joined(separator: "\n")
        return EncodedBody(Data(text.utf8), contentType: "text/csv")
    }

    func decode<Model: Decodable>(
        _ type: Model.Type,
        from response: RawResponse,
        for request: DogmaRequest
    ) throws -> Model {
        let lines = String(decoding: response.body, as: UTF8.self).split(separator: "\n")
        guard let rows = lines.map({ $0.split(separator: ",").map(String.init) }) as? Model else {
            throw NotRows()
        }
        return rows
    }
}

manager.dogmas["csv"] = CSVDogma()
