// SPDX-License-Identifier: MIT

// snippet.hide
import Foundation
import SharedStore

let folder = FileManager.default.temporaryDirectory.appending(path: "SharedStoreObservation-\(UUID().uuidString)")
defer { try? FileManager.default.removeItem(at: folder) }
extension SharedKey where Value == Int {
    static var unread: Self { .init("unread", default: 0) }
}
let data = try SharedData(file: folder.appending(path: "shared.sqlite"))
@Sendable func show(_ count: Int?) { print("unread: \(count ?? 0)") }
// snippet.show
let watching = Task {
    for await change in data.changes(for: .unread, options: [.initial, .distinct]) {
        show(change.newValue)
        if change.newValue == 2 { break }
    }
}

let token = data.observe(.unread) { change in
    if change.origin == .anotherProcess { print("another process wrote \(change.newValue ?? 0)") }
}
let everything = data.observeAll { change in print("\(change.name) changed") }

try data.set(1, for: .unread)
try data.set(2, for: .unread)
// snippet.hide
await watching.value
// snippet.show
token.cancel()
everything.cancel()
// snippet.hide
data.close()
