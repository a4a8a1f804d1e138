// SPDX-License-Identifier: MIT

import RestEssentials

/// A step with what can be computed before its transaction, so that one writer has less to do for many callers.
struct PreparedStep: Sendable {
    /// The size of a value above which its checksum is left to the writer, because the caller may be the main actor.
    private static let sizeLimit = 64 * 1024

    let step: RowStep
    /// The stored form of the row's tags; `nil` for none, or if the step writes no row.
    let tags: Data?
    /// The row's checksum; `nil` if it is left to the writer, or if the step writes no row.
    let digest: RowDigest?

    init(_ step: RowStep) {
        self.step = step
        guard case .put(let key, let value, let attributes, _) = step else {
            self.tags = nil
            self.digest = nil
            return
        }
        let encoded = TagList.encode(attributes.tags)
        let isSmall = max(value.count, attributes.metadata.count) <= Self.sizeLimit
        self.tags = encoded
        self.digest = isSmall ? RowDigest(key: key, attributes: attributes, tags: encoded, value: value) : nil
    }
}
