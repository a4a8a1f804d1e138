// SPDX-License-Identifier: MIT

import RestEssentials

/// A row that may be evicted, unless it was used since.
struct UsedRow: Sendable {
    let id: Int64
    let usedAt: Date
}
