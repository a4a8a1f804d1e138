// SPDX-License-Identifier: MIT

// snippet.hide
import Foundation
import SharedStore

let folder = FileManager.default.temporaryDirectory.appending(path: "SharedStoreCache-\(UUID().uuidString)")
defer { try? FileManager.default.removeItem(at: folder) }
let body = Data(#"[{"id":7,"total":9.5}]"#.utf8)
func log(_ text: String) { print(text) }
// snippet.show
var configuration = ExpiringCache.Configuration()
configuration.byteLimit = 64 * 1024 * 1024
configuration.onEvent = { event in log("cache: \(event.name)") }
let cache = try ExpiringCache(file: folder.appending(path: "cache.sqlite"), configuration: configuration)

try await cache.store(
    CacheEntry(body: body, metadata: Data("\"v1\"".utf8), expiresAt: Date() + 3600, tags: ["orders"]),
    for: "orders/7"
)

// snippet.hide
func use(_ body: Data) { print("use \(body.count) bytes") }
func revalidate(_ entry: CacheEntry) { print("revalidate \(entry.metadata.count) bytes of validator") }
func fetch() { print("fetch") }
// snippet.show
switch try await cache.read("orders/7", maxAge: .seconds(60)) {
case .fresh(let entry): use(entry.body)
case .stale(let entry): revalidate(entry)
case .miss: fetch()
}
// snippet.hide
print("and without waiting:")
// snippet.show
// In synchronous code: from memory, or from the disk on this thread.
if case .fresh(let entry) = try cache.readNow("orders/7") { use(entry.body) }
// snippet.hide
print("removals:")
// snippet.show
try await cache.removeAll(tag: "orders")
try await cache.removeAll(prefix: "users/")
try await cache.removeAll { $0.byteCount > 1_000_000 }
try await cache.sweep()
let statistics = try await cache.statistics()
log("\(statistics.hits) hits, \(statistics.misses) misses, \(statistics.byteCount) bytes")
// snippet.hide
cache.close()
