// SPDX-License-Identifier: MIT

/// The journal's record of a node, an element of a loop or a compensation, apart from its result.
struct JournalRecord: Codable, Sendable, Equatable {
    enum State: String, Codable, Sendable {
        /// An unsafe request is about to be sent, or was sent.
        case started
        /// The result is stored.
        case finished
    }

    var version = JournalCoding.version
    /// The readable name.
    var name: String
    var state: State
    /// The digest of the name and all inputs.
    var inputs: String
    /// The digest of the encoded result.
    var output: String?
    /// The codec with which the result was stored.
    var codec: String?
    /// The prefix of the keys of its unsafe requests.
    var idempotencyKey: String?
    /// The idempotency keys that requests supplied themselves, by the part that identifies each request.
    var ownKeys: [String: String]?
}
