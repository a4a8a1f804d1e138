// SPDX-License-Identifier: MIT

import RestEssentials

/// The calls that share the state of a guard: those of a server, those of one API on it, or those of an API that set
/// the same rate limit themselves.
struct GuardKey: Sendable, Hashable {
    /// The alias of the server, or the origin of a URL that belongs to none.
    let server: String
    /// The alias of the API; `nil` if all calls to the server share the state.
    let api: String?
    /// The rate limit that the calls set themselves, in words; `nil` for what they share with others of the API.
    let ownRate: String?

    /// Creates the key of an option of a call.
    ///
    /// What a manager, an environment or a server sets holds for all calls to a server together. What an API or a call
    /// sets holds for the API, but the rate limit of a call only for those that set the same one: others do not wait
    /// for it.
    init(_ call: PreparedRequest.Identity, setBy level: CallOptions.Level?, ownRate: RateLimit? = nil) {
        server = call.server?.rawValue ?? (try? HTTPURL(sent: call.url))?.origin ?? ""
        api = level == .api || level == .call ? call.api ?? call.template : nil
        self.ownRate = ownRate?.description
    }

    init(server: String) {
        self.server = server
        api = nil
        ownRate = nil
    }
}

extension GuardKey: CustomStringConvertible {
    var description: String { MessageText.of(Redaction.url(api.map { "\(server)/\($0)" } ?? server)) }
}
