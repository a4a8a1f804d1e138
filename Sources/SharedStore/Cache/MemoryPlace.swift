// SPDX-License-Identifier: MIT

/// Identifies an entry in the memory tier of a cache, from its insertion until it is removed or replaced.
package struct MemoryPlace: Sendable, Equatable {
    let index: Int
    let serial: UInt64
}
