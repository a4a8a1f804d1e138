// SPDX-License-Identifier: MIT

/// The facts about the request for a page that decide where the next page may lie.
struct PageRequest: Sendable, Hashable {
    /// The requested URL.
    let url: String

    /// True if the call allows steps from `https` to `http`.
    let allowsPlainHTTP: Bool
}
