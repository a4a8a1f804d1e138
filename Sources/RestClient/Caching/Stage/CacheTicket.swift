// SPDX-License-Identifier: MIT

import Synchronization

/// What travels with a request that the cache deals with, beside the request itself.
final class CacheTicket: Sendable {
    /// Sees whether a response can be decoded.
    let probe: AnswerProbe

    /// Takes a stored response ahead of the server's; `nil` when the call has no use for it.
    let takeEarly: (@Sendable (RawResponse) async -> Void)?

    init(probe: AnswerProbe, takeEarly: (@Sendable (RawResponse) async -> Void)? = nil) {
        self.probe = probe
        self.takeEarly = takeEarly
    }
}
