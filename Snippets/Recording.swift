// SPDX-License-Identifier: MIT

// snippet.hide
import RestClient
import RestClientRecording
import RestClientTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct Order: Codable { let id: Int }

// The server to record: in the process, on a real socket.
let server = try await LoopbackServer.start()
server.on(.get, "/orders") { _ in .json(#"[{"id": 7, "owner": "ada"}]"#) }
let manager = RestClientManager()
manager.servers["store"] = Server(server.url)
manager.defaultServer = "store"
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

let orders = try await fixture.use(of: manager) { fixture in
    let orders = try await manager.request([Order].self).endpoint("/orders").query(["page": 1]).send()
    assert(fixture.unused.isEmpty)
    return orders
}
// snippet.hide
print(orders)
let token = "t"
// snippet.show

let recorder = HARRecorder()
try await recorder.record {
    _ = try await manager.request([Order].self).endpoint("/orders").send()
}
print(recorder.archive.entries.count)
// snippet.hide
let file = folder.appendingPathComponent("orders.har")
// snippet.show

let log = WireLog(.bodies) { entry in print(entry) }  // or logger.debug("\(entry)")
_ = try await manager.request([Order].self).endpoint("/orders").wireLog(log).send()
manager.options = manager.options.wireLog(WireLog { print($0) })  // header fields, of all calls
// snippet.hide
manager.options = manager.options.wireLog(nil)
// snippet.show

let drift = try await manager.recording.drift(of: HAR(file: file), rules: fixture.rules) { request in
    request.headers[.authorization] = "Bearer \(token)"
}
for difference in drift { print(difference) }
// snippet.hide
await server.stop()
