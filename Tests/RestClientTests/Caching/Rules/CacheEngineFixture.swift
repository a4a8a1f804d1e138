// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SharedStore

@testable import RestClient

/// Makes what the rules of the cache look at.
enum CacheFixture {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)

    /// A time of day as a field writes it.
    static func date(_ offset: Double) -> String {
        HTTPDate.text(now.addingTimeInterval(offset))
    }

    static func request(_ headers: HTTPFields = [:], _ method: HTTPRequest.Method = .get) -> CacheRequest {
        CacheRequest(method: method, headers: headers)
    }

    /// A response that was stored some seconds ago.
    static func stored(
        _ headers: HTTPFields,
        age: Double = 0,
        status: Int = 200,
        body: String = "0123456789",
        timeToLive: Double? = nil,
        requestedRange: String? = nil,
        isInvalidated: Bool = false,
        limit: Double? = nil
    ) -> StoredResponse {
        let time = now.addingTimeInterval(-age)
        let head = StoredHead(
            bodyID: 1,
            status: .init(code: status),
            headers: headers,
            method: .get,
            requestURL: "https://h/",
            requestTime: time,
            responseTime: time,
            selecting: SelectingFields([]),
            requestedRange: requestedRange,
            limit: limit.map { time.addingTimeInterval($0) },
            isInvalidated: isInvalidated
        )
        let entry = CacheEntry(
            body: Data(body.utf8),
            storedAt: time,
            expiresAt: timeToLive.map { time.addingTimeInterval($0) }
        )
        return StoredResponse(key: "k", head: head, entry: entry, isInMemory: false)
    }

    /// The decision of the rules.
    static func lookup(
        _ stored: StoredResponse?,
        _ request: HTTPFields = [:],
        policy: CachePolicy = .http
    ) -> CacheLookup {
        CacheEngine.lookup(stored, request: Self.request(request), policy: policy, now: now)
    }
}

extension CacheLookup {
    /// The decision in a word or two, for tables.
    var word: String {
        switch self {
        case .use(let use):
            switch use.staleness {
            case nil: "use"
            case .allowedByRequest: "use stale"
            case .whileRevalidating: "use and revalidate"
            case .onFailure: "use on failure"
            }
        case .revalidate(let reason): "revalidate \(reason)"
        case .complete(let range, _): "complete \(range)"
        case .fetch(let reason): "fetch \(reason)"
        case .refuse(let reason): "refuse \(reason)"
        }
    }
}
