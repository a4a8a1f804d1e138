// SPDX-License-Identifier: MIT

import Testing

/// A rule, and a check of it on one random input.
struct FuzzTarget: Sendable, CustomTestStringConvertible {
    let name: String
    /// How many inputs the usual tests try.
    let usualCount: UInt64
    /// Makes an input and throws if the rule breaks a promise for it.
    let check: @Sendable (inout FuzzInput) async throws -> Void

    var testDescription: String { name }

    init(
        _ name: String,
        _ usualCount: UInt64 = 400,
        _ check: @escaping @Sendable (inout FuzzInput) async throws -> Void
    ) {
        self.name = name
        self.usualCount = usualCount
        self.check = check
    }

    static let all: [FuzzTarget] = [
        template, pattern, query, form, multipart,
        cacheControl, cacheUse, fields, links, rateHints, dates,
        url, location, cookies, injection,
        har, envelope, sealed, inflater, journal,
        eventStream, webSocketMessages, webSocketFrames,
    ]
}
