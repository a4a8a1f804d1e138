// SPDX-License-Identifier: MIT

// snippet.hide
import Foundation
import SharedStore

let folder = FileManager.default.temporaryDirectory.appending(path: "SharedStoreData-\(UUID().uuidString)")
defer { try? FileManager.default.removeItem(at: folder) }
struct Settings: Codable, Sendable, Equatable {
    var theme = "light"
    var pageSize = 20
}
struct OldSettings: Codable { var dark: Bool }
// snippet.show
extension SharedKey where Value == Int {
    static var launches: Self { .init("launches", default: 0) }
    static var balance: Self { .init("balance", default: 0) }
    static var savings: Self { .init("savings", default: 0) }
}
extension SharedKey where Value == String {
    static var draft: Self { .init("draft", timeToLive: .seconds(3600)) }
}
extension SharedKey where Value == Settings {
    /// The second version of the settings, which also reads the first.
    static var settings: Self {
        .init("settings", default: Settings(), schemaVersion: 2) { bytes, _ in
            let old = try JSONDecoder().decode(OldSettings.self, from: bytes)
            return Settings(theme: old.dark ? "dark" : "light")
        }
    }
}

let data = try SharedData(file: folder.appending(path: "shared.sqlite"))
try data.set(Settings(theme: "dark"), for: .settings)
let settings = try data.value(for: .settings)

// No update is lost, whatever other threads and processes do at the same time.
try data.modify(.launches) { $0 = ($0 ?? 0) + 1 }
let isFirst = try data.compareAndSet(.draft, expected: nil, new: "Dear Kim")
try data.transaction { transaction in
    try transaction.set((transaction.value(for: .balance) ?? 0) - 10, for: .balance)
    try transaction.set((transaction.value(for: .savings) ?? 0) + 10, for: .savings)
}

for name in try data.names() { print(name) }
try data.remove(.draft)
try data.removeAll()
// snippet.hide
print(settings?.theme ?? "none", isFirst)
data.close()
