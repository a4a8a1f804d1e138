// SPDX-License-Identifier: MIT

import RestClient
import SharedStore

// Uses the client and the store once, so that the linker keeps what they need.
let manager = RestClientManager()
manager.dummies.mode = .strict
manager.dummies.register(.get, "/probe") { _ in .json(["answer": 42]) }

let answer = try await manager.request([String: Int].self).serverAddress("probe.example").endpoint("/probe").send()
try manager.sharedData.set(answer, for: SharedKey<[String: Int]>("answer"))
let stored = try manager.sharedData.value(for: SharedKey<[String: Int]>("answer"))
print(stored?["answer"] ?? 0)
