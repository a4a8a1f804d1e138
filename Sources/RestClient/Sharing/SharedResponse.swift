// SPDX-License-Identifier: MIT

import RestEssentials

/// The response to a request that several calls share.
struct SharedResponse<Content: Sendable>: Sendable {
    var content: Content

    /// True if every caller may use it, and not only the one that started the request.
    var isForAnyone: Bool

    /// The effect that the request may have had on the server; `nil` for none.
    var effect: SharedEffect?

    /// The action that must run once, for one of the callers.
    ///
    /// Until it runs, new callers receive the same response.
    var duty: ReleaseOnce?
}
