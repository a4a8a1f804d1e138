// SPDX-License-Identifier: MIT

/// A stored response that is used unchanged, with the reason.
struct RecalledResponse: Sendable {
    let response: RawResponse
    let use: CacheUse
}
