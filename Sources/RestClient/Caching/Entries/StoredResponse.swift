// SPDX-License-Identifier: MIT

import HTTPTypes
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

    private init(_ other: StoredResponse, head: StoredHead? = nil, entry: CacheEntry? = nil) {
        key = other.key
        self.head = head ?? other.head
        self.entry = entry ?? other.entry
        isInMemory = other.isInMemory
        control = other.control
        validators = other.validators
        freshness = other.freshness
        initialAge = other.initialAge
    }

    func marked(isDecodable: Bool) -> StoredResponse {
        var head = head
        head.isDecodable = isDecodable
        return StoredResponse(self, head: head)
    }

    /// Returns the response with its entry, read again, which may differ only in the body.
    func holding(_ entry: CacheEntry) -> StoredResponse {
        StoredResponse(self, entry: entry)
    }

    /// Returns the response with other bytes, which get an identifier and a changed head.
    func rewritten(as body: Data, _ change: (inout StoredHead) -> Void) -> StoredResponse {
        var (head, entry) = (head, entry)
        head.bodyID = .random(in: .min ... .max)
        for name in StoredFields.ofTheBytes {
            head.headers[name] = nil
        }
        change(&head)
        entry.body = body
        return StoredResponse(key: key, head: head, entry: entry, isInMemory: isInMemory)
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

// MARK: - Delivery

extension StoredResponse {
    /// Returns the response to a request, in the requested form.
    func response(
        to request: OutgoingRequest,
        _ delivery: CacheDelivery = .whole,
        source: ResponseSource
    ) -> RawResponse {
        let policy = request.call.policy.cache
        var status = head.status
        var fields = head.headers
        var body = entry.body
        if !policy.followsHTTP, fields.contains(.setCookie) {
            // A cookie that the server set with one response must not be set again by another.
            fields[.setCookie] = nil
        }
        switch delivery {
        case .whole:
            break
        case .part(let offsets, let contentRange):
            status = .partialContent
            fields[.contentRange] = contentRange
            fields[.contentLength] = String(offsets.count)
            body = Data(body.dropFirst(offsets.lowerBound).prefix(offsets.count))
        case .confirmation:
            status = .notModified
            body = Data()
        }
        if request.method == .head {
            body = Data()
        }
        // Requests with a key of the caller's own may have different URLs.
        let hasOtherURL = head.url == nil && head.requestURL != request.url && policy.ownKey != nil
        let url = hasOtherURL ? head.requestURL : head.url
        var parts = RawResponse.Parts(status: status, head: .fields(fields), body: body, source: source, url: url)
        if case .cache(let age) = source {
            parts.setAge(age)
        }
        return RawResponse(parts)
    }
}

extension CacheExplanation {
    /// Creates the explanation of a stored response that is used.
    init(_ use: CacheUse, of stored: StoredResponse) {
        self.init(use.staleness.map { .stale($0) } ?? .fresh)
        age = use.age
        lifetime = use.lifetime
        isInMemory = stored.isInMemory
    }
}

extension CacheEntry {
    /// Creates the entry of a response that a call stores.
    init(_ body: Data, of call: CallContext, at time: Date, timeToLive: Duration?) {
        self.init(
            body: body,
            storedAt: time,
            expiresAt: Self.expiry(after: timeToLive, from: time),
            tags: CacheTag.all(of: call)
        )
    }

    /// Returns the time at which an entry expires; `nil` if it has no time to live.
    static func expiry(after timeToLive: Duration?, from time: Date) -> Date? {
        timeToLive.map { time.addingTimeInterval($0 / .seconds(1)) }
    }
}

enum CacheTag {
    private static let apiPrefix = "api:"

    static func api(_ name: String) -> String { apiPrefix + name }

    static func all(of call: CallContext) -> Set<String> {
        guard let name = call.api else {
            return call.policy.cacheTags
        }
        return call.policy.cacheTags.union([api(name)])
    }

    static func apiName(_ tag: String) -> String? {
        tag.hasPrefix(apiPrefix) ? String(tag.dropFirst(apiPrefix.count)) : nil
    }
}
