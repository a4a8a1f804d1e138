// SPDX-License-Identifier: MIT

/// A stored response that is used as it is, and why.
struct RecalledResponse: Sendable {
    let response: RawResponse
    let use: CacheUse
}
