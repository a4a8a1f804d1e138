// SPDX-License-Identifier: MIT

extension CacheExplanation {
    /// The account as a value of the `Cache-Status` field (RFC 9211, section 2).
    public var cacheStatus: String { CacheStatusField.member(self) }
}
