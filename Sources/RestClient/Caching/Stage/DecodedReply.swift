// SPDX-License-Identifier: MIT

/// A reply of the cache, with its model if the decision required decoding it.
struct DecodedReply<Model: Sendable>: Sendable {
    var reply: CacheReply
    var model: Model?

    init(_ reply: CacheReply, model: Model? = nil) {
        self.reply = reply
        self.model = model
    }
}
