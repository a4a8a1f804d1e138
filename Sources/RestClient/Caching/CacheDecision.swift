// SPDX-License-Identifier: MIT

import HTTPTypes

/// The rules of the cache, as pure functions: what to do with a stored answer, and whether to store a new one.
enum CacheDecision {
    /// What a read of the cache found.
    enum Found: Sendable {
        case fresh
        case stale(hasValidator: Bool)
        case nothing
        case unreadable
    }

    /// What to do about it.
    enum Lookup: Sendable, Equatable {
        /// Deliver the stored answer.
        case use
        /// Ask the server whether the stored answer is still the same.
        case revalidate
        /// Ask the server.
        case fetch(CacheMissReason)
        /// Fail: the policy does not allow the network.
        case refuse(CacheMissReason)
    }

    /// Decides between the stored answer and the network.
    static func lookup(_ found: Found, mode: CachePolicy.Mode) -> Lookup {
        switch (mode, found) {
        case (.networkOnly, _), (.reload, _): .fetch(.bypassed)
        case (_, .fresh): .use
        case (.elseNetwork, .stale(hasValidator: true)): .revalidate
        case (.elseNetwork, let found): .fetch(reason(found))
        case (.cacheOnly, let found): .refuse(reason(found))
        }
    }

    /// Whether an answer may be stored: a complete, successful one that neither side forbids to store.
    static func isStorable(
        status: HTTPResponse.Status,
        requestHeaders: HTTPFields,
        responseHeaders: HTTPFields
    ) -> Bool {
        status.kind == .successful && status != .partialContent
            && !forbidsStoring(requestHeaders) && !forbidsStoring(responseHeaders)
            && responseHeaders[values: .vary].allSatisfy(isKeptApart)
    }

    /// The header fields that ask whether the stored answer is still the same (RFC 9110, section 13.1).
    static func conditions(validating stored: HTTPFields) -> HTTPFields {
        var fields: HTTPFields = [:]
        if let entityTag = stored[.eTag] {
            fields[.ifNoneMatch] = entityTag
        }
        if let lastModified = stored[.lastModified] {
            fields[.ifModifiedSince] = lastModified
        }
        return fields
    }

    /// The stored header fields, brought up to date by those of a 304 (RFC 9111, section 3.2).
    static func refreshed(_ stored: HTTPFields, by update: HTTPFields) -> HTTPFields {
        let kept: Set<HTTPField.Name> = [.contentLength, .contentEncoding, .transferEncoding, .contentRange]
        var merged = stored
        for name in Set(update.map(\.name)).subtracting(kept) {
            merged[fields: name] = update[fields: name]
        }
        return merged
    }

    private static func reason(_ found: Found) -> CacheMissReason {
        switch found {
        case .fresh, .stale: .stale
        case .nothing: .absent
        case .unreadable: .unreadable
        }
    }

    /// The request fields by which stored answers are kept apart, as part of their key or by their owner.
    private static let distinguishedFields: Set<String> = [
        "accept", "accept-language", "accept-encoding", "range", "authorization", "cookie",
    ]

    /// Whether the key of an answer tells apart all that the answer varies by (RFC 9111, section 4.1).
    private static func isKeptApart(_ vary: String) -> Bool {
        vary.split(separator: ",")
            .allSatisfy { name in
                distinguishedFields.contains(name.filter { !$0.isWhitespace }.lowercased())
            }
    }

    private static func forbidsStoring(_ headers: HTTPFields) -> Bool {
        headers[values: .cacheControl]
            .contains { value in
                value.split(separator: ",")
                    .contains { directive in
                        let name = directive.prefix { $0 != "=" }.filter { !$0.isWhitespace }
                        return name.lowercased() == "no-store"
                    }
            }
    }
}
