// SPDX-License-Identifier: MIT

import RestEssentials

/// The response to a request that several calls share.
struct SharedResponse<Content: Sendable>: Sendable {
    var content: Content

    /// True if it is for every caller, and not only for the one who began the request.
    var isForAnyone: Bool

    /// Present for the one caller who must see to what is done once; newcomers get the same response until it is
    /// released.
    var duty: ReleaseOnce?
}
