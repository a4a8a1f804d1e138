// SPDX-License-Identifier: MIT
// snippet.hide
import RestClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct Order: Codable { let id: Int }

let manager = RestClientManager()
manager.servers["store"] = "https://api.example.com/v1"
manager.defaultServerKey = "store"
// There is no network here: dummies answer what is recorded.
manager.dummies.mode = .strict
manager.dummies.register(.get, "/orders") { _ in try .json(body: [Order(id: 7)]) }
// snippet.show
var fixture = HARFixture(URL(filePath: "Fixtures/orders.har"), mode: .once)
fixture.rules.query = .only(["page"])
fixture.rules.bodyFields = .only(["id"])
fixture.maxAge = .seconds(30 * 86_400)
// snippet.hide
let folder = FileManager.default.temporaryDirectory.appendingPathComponent("recording-\(UInt64.random(in: 0 ... .max))")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
fixture.file = folder.appendingPathComponent("orders.har")
defer { try? FileManager.default.removeItem(at: folder) }
// snippet.show

let orders = try await manager.withFixture(fixture) { fixture in
    let orders = try await manager.request([Order].self).endpoint("/orders").query(["page": 1]).send()
    assert(fixture.unused.isEmpty)
    return orders
}
// snippet.hide
print(orders)
// snippet.show

let recorder = HARRecorder()
try await recorder.record {
    _ = try await manager.request([Order].self).endpoint("/orders").send()
}
print(recorder.archive.entries.count)
// snippet.hide
