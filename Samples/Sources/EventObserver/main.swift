// SPDX-License-Identifier: MIT

// Four ways to observe the same events: the typed stream, a handler with a token, a typed message of
// NotificationCenter, and a classic notification with userInfo. Dummies respond, so no network is needed.

import Foundation
import HTTPTypes
import RestClient
import RestClientFoundation
import SharedStore

extension SharedKey where Value == Int {
    static var visits: Self { .init("visits") }
}

let manager = RestClientManager()
manager.servers["shop"] = "https://shop.example.com"
manager.defaultServer = "shop"
manager.dummies.mode = .strict
manager.dummies.register(.get, "/hello", delay: .milliseconds(20)) { _ in .text("hello") }
manager.dummies.register(.get, "/broken") { _ in .status(.internalServerError) }

// 1. The typed stream: for code that reads events in a loop.
let reader = Task { [events = manager.events] in
    var lines: [String] = []
    for await event in events {
        lines.append("\(event.callID.map { "\($0) " } ?? "")\(event.kind.name)")
        if case .custom = event.kind { break }
    }
    return lines
}

// 2. A handler: it lives as long as its token.
let token = manager.observe(.names(.callFailed)) { event in
    if case .callFailed(let error) = event.kind { print("handler:       \(error)") }
}

// 3. A typed message of NotificationCenter: for code that is independent of other observers.
manager.notificationCenter = .default
let message = NotificationCenter.default.addObserver(of: manager, for: ClientEventMessage.self) { message in
    if case .sharedDataUpdated(let key) = message.event.kind { print("typed message: shared value '\(key)' changed") }
}

// 4. A classic notification, for code that is used to them.
let posting = manager.postNotifications()
let classic = NotificationCenter.default.addObserver(forName: .restClientEvent, object: manager, queue: nil) { note in
    if let status = note.userInfo?["status"] as? Int,
        note.userInfo?["kind"] as? String == "callSucceeded"
    {
        print("notification:  a call ended with \(status)")
    }
}

// Shared values also report their changes themselves, with old and new value.
let changes = Task { [changes = manager.sharedData.changes(for: .visits)] in
    for await change in changes {
        print("shared value:  visits \(change.oldValue ?? 0) → \(change.newValue ?? 0)")
        if change.newValue == 2 { break }
    }
}

_ = try await manager.request(String.self).endpoint("/hello").send()
_ = try? await manager.request().endpoint("/broken").send()
try manager.sharedData.set(1, for: .visits)
try manager.sharedData.set(2, for: .visits)
await changes.value
manager.emit("finished", payload: ["calls": 2])

print("\nThe stream, in order:")
for line in await reader.value { print("  \(line)") }

token.cancel()
posting.cancel()
NotificationCenter.default.removeObserver(message)
NotificationCenter.default.removeObserver(classic)
