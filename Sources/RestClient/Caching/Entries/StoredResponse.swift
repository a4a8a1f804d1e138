// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

final class StoredResponse: Sendable {
    let key: String
    let head: StoredHead
    let entry: CacheEntry
    let isInMemory: Bool
    let control: CacheControl
    let validators: Validators
    /// Its freshness lifetime: by the caller's own time to live, otherwise by the server's fields.
    let freshness: ResponseFreshness
    private let initialAge: Duration

    init(key: String, head: StoredHead, entry: CacheEntry, isInMemory: Bool) {
        self.key = key
        self.head = head
        self.entry = entry
        self.isInMemory = isInMemory
        control = CacheControl(head.headers)
        validators = Validators(head.headers)
        if let expiresAt = entry.expiresAt {
            // The engine may hold any times.
            let lifetime = Duration.bounded(seconds: max(0, expiresAt.timeIntervalSince(entry.storedAt)))
            freshness = ResponseFreshness(lifetime: lifetime, basis: .ownTimeToLive)
        } else {
            freshness = ResponseFreshness(
                status: head.status,
                headers: head.headers,
                control: control,
                responseTime: head.responseTime
            )
        }
        initialAge = ResponseFreshness.initialAge(
            of: head.headers,
            requestTime: head.requestTime,
            responseTime: head.responseTime
        )
    }

    /// The bytes of the response; `nil` for a part that is not understood.
    var held: HeldBytes? {
        HeldBytes(status: head.status, headers: head.headers, count: entry.body.count)
    }

    private init(_ other: StoredResponse, isDecodable: Bool) {
        var head = other.head
        head.isDecodable = isDecodable
        key = other.key
        self.head = head
        entry = other.entry
        isInMemory = other.isInMemory
        control = other.control
        validators = other.validators
        freshness = other.freshness
        initialAge = other.initialAge
    }

    func marked(isDecodable: Bool) -> StoredResponse {
        StoredResponse(self, isDecodable: isDecodable)
    }

    /// Returns its age (RFC 9111, section 4.2.3); never negative.
    func age(_ now: Date) -> Duration {
        guard freshness.basis != .ownTimeToLive else {
            return storedAge(now)
        }
        return initialAge + .seconds(max(0, now.timeIntervalSince(head.responseTime)))
    }

    /// Returns the time since it was stored or confirmed, which the application's modes use.
    func storedAge(_ now: Date) -> Duration {
        .bounded(seconds: max(0, now.timeIntervalSince(entry.storedAt)))
    }
}
