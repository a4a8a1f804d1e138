// SPDX-License-Identifier: MIT

/// A reply of the cache, with its model if that had to be decoded to decide.
struct DecodedReply<Model: Sendable>: Sendable {
    var reply: CacheReply
    var model: Model?

    init(_ reply: CacheReply, model: Model? = nil) {
        self.reply = reply
        self.model = model
    }
}
