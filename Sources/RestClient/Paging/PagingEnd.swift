// SPDX-License-Identifier: MIT

/// The reason why a listing has no further page.
enum PagingEnd: Sendable, Hashable {
    /// The last page was delivered.
    case lastPage
    /// The maximum number of pages was delivered.
    case limit
}
