// SPDX-License-Identifier: MIT

// snippet.hide
import RestClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct Receipt: Decodable, Sendable { let id: Int }
struct Report: Encodable, Sendable { let lines: [String] }
struct Order: Codable, Sendable { var state: String }

extension APIAlias where Model == Order { static var order: Self { "order" } }
extension APIAlias where Model == Receipt {
    static var backup: Self { "backup" }
    static var photos: Self { "photos" }
    static var log: Self { "log" }
    static var reports: Self { "reports" }
}

let manager = RestClientManager()
let events = AsyncStream<Data> { $0.finish() }
// snippet.show
// A file, read while it is sent, with its length and the media type of its name.
func backUp() async throws -> Receipt {
    try await manager.request(.backup).timeout(.seconds(3600)).upload(from: "/backups/today.tar")
}

// A form of fields and files.
func publish() async throws -> Receipt {
    let form = MultipartForm()
        .field("title", "Harbour")
        .file("photo", "/photos/harbour.jpg")
    return try await manager.request(.photos).body(.multipart(form)).send()
}

// A stream, in chunks unless its length is given.
func ship() async throws -> Receipt {
    try await manager.request(.log).body(.stream(events, contentType: "application/x-ndjson")).send()
}

// Any body, compressed.
func report(_ report: Report) async throws -> Receipt {
    try await manager.request(.reports).body(report).compressingBody().send()
}

// A large body is sent once the server agrees.
manager.apis[.backup] = API(.put, "/backups/{name}").expectContinue(from: 8 << 20)

// A model that encodes itself, regardless of the dogma.
struct Invoice: RequestPayload {
    let lines: [String]

    func requestBody() -> RequestBody {
        .bytes(Data(lines.joined(separator: ";").utf8), contentType: "text/csv")
    }
}
func bill(_ invoice: Invoice) async throws -> Receipt {
    try await manager.request(.reports).body(invoice).send()
}

// Reads, changes and writes, again if others were faster.
func pay(_ id: Int) async throws {
    try await manager.request(.order).parameter("id", id).update { $0.state = "paid" }
}

// The same by hand, and with a patch: the call fails with preconditionFailed if others were faster.
func hold(_ id: Int) async throws -> Order {
    let order = try await manager.request(.order).parameter("id", id).response()
    let change = MergePatch(["state": "held", "courier": nil])
    return try await manager.request(.order).parameter("id", id).patch().body(change).ifMatch(order).send()
}
