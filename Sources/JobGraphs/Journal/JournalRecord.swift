// SPDX-License-Identifier: MIT

/// The journal's record of a node, an element of a loop or a compensation, apart from its result.
struct JournalRecord: Codable, Sendable, Equatable {
    enum State: String, Codable, Sendable {
        /// An unsafe request of it goes out, or did.
        case started
        /// It has its result.
        case finished
    }

    var version = JournalCoding.version
    /// The name for people.
    var name: String
    var state: State
    /// The digest of its name and of everything that it is made from.
    var inputs: String
    /// The digest of the encoded result.
    var output: String?
    /// The codec that the result was stored with.
    var codec: String?
    /// The prefix of the keys of its unsafe requests.
    var idempotencyKey: String?
    /// The keys that requests brought with them, by what tells its requests apart.
    var ownKeys: [String: String]?
}
