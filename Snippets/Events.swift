// SPDX-License-Identifier: MIT

// snippet.hide
import RestClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

let manager = RestClientManager()
manager.dummies.mode = .strict
manager.dummies.register(.get, "/hello") { _ in .text("hello") }
let printing = Task {
    // snippet.show
    for await event in manager.events where event.isTerminal { print(event.kind.name) }
    // snippet.hide
}
// snippet.show
let token = manager.observe { event in print(event.kind.name) }  // ends with the token
let failures = manager.observe(.names(.callFailed, .callCancelled)) { event in print(event) }  // only these
let shown = manager.observe(.callEnds, onMainActor: { event in print(event) })  // in order, without delaying calls
let runs = manager.observe(.names(.graphFinished)) { event in
    guard case .graphFinished(let run) = event.kind else {
        return
    }
    for node in run.nodes { print(node.name, node.value ?? "no result") }
}
// snippet.hide
if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
    // snippet.show
    manager.notificationCenter = .default
    let observer = NotificationCenter.default.addObserver(of: manager, for: ClientEventMessage.self) { message in
        print(message.event.kind.name)
    }
    // snippet.hide
    NotificationCenter.default.removeObserver(observer)
}
_ = try await manager.request().url("https://api.example.com/hello").send()
printing.cancel()
for observation in [token, failures, shown, runs] { observation.cancel() }
