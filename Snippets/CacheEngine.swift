// SPDX-License-Identifier: MIT

// snippet.hide
import RestClient

struct Balance: Codable { let amount: Int }
struct Product: Codable { let name: String }

extension APIAlias where Model == Balance { static var balance: Self { "balance" } }
extension APIAlias where Model == [Product] { static var catalogue: Self { "catalogue" } }

// snippet.show
actor Shelf: CacheBackend {
    private var entries: [String: CacheEntry] = [:]

    nonisolated var isShared: Bool { false }

    func entry(for key: String) -> CacheEntry? { entries[key] }
    func store(_ entry: CacheEntry, for key: String) { entries[key] = entry }
    func remove(_ key: String) -> Bool { entries.removeValue(forKey: key) != nil }
    func keys(prefix: String) -> [String] { entries.keys.filter { $0.hasPrefix(prefix) } }
}

var configuration = RestClientManager.Configuration()
configuration.cacheBackend = Shelf()
// snippet.hide

let manager = RestClientManager(configuration: configuration)
manager.servers["store"] = "https://api.example.com/v1"
manager.defaultServer = "store"
manager.apis[.balance] = API(.get, "/balance").cache(.http.inMemory())
manager.apis[.catalogue] = API(.get, "/catalogue").cache(.http.keepingModels())
manager.dummies.mode = .strict
manager.dummies.register(.get, "/balance") { _ in .text(#"{"amount":7}"#) }
manager.dummies.register(.get, "/catalogue") { _ in .text(#"[{"name":"pen"}]"#) }

func read() async throws {
    print(try await manager.request(.balance).send().amount, try await manager.request(.catalogue).send().count)
}

try await read()
