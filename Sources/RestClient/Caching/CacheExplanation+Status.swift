// SPDX-License-Identifier: MIT

extension CacheExplanation {
    /// The decisions as a value of the `Cache-Status` field (RFC 9211, section 2).
    public var cacheStatus: String { CacheStatusField.member(self) }
}
