// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

/// A stored response as the rules see it: its head, its bytes, and the row that holds them.
struct StoredResponse: Sendable {
    /// The key of the row.
    let key: String
    var head: StoredHead
    var entry: CacheEntry
    /// The directives of the response.
    let control: CacheControl
    /// The validators of its state.
    let validators: Validators

    init(key: String, head: StoredHead, entry: CacheEntry) {
        self.key = key
        self.head = head
        self.entry = entry
        control = CacheControl(head.headers)
        validators = Validators(head.headers)
    }

    /// The bytes that are held; `nil` for a part that is not understood.
    var held: HeldBytes? {
        HeldBytes(status: head.status, headers: head.headers, count: entry.body.count)
    }

    /// The time since it was stored or confirmed, by which the application's modes go.
    func storedAge(_ now: Date) -> Duration {
        .seconds(max(0, now.timeIntervalSince(entry.storedAt)))
    }
}
