// SPDX-License-Identifier: MIT

/// The calls that share the state of a guard: those of a server, or those of one API on it.
struct GuardKey: Sendable, Hashable {
    /// The alias of the server, or the origin of a URL that belongs to none.
    let server: String
    /// The alias of the API; `nil` if all calls to the server share the state.
    let api: String?

    /// Creates the key of an option of a call.
    ///
    /// What a manager, an environment or a server sets holds for all calls to a server together. What an API or a call
    /// sets holds for the API.
    init(_ call: CallIdentity, setBy level: CallOptions.Level?) {
        server = call.server?.rawValue ?? (try? HTTPURL(call.url))?.origin ?? ""
        api = level == .api || level == .call ? call.api ?? call.template : nil
    }

    init(server: String, api: String? = nil) {
        self.server = server
        self.api = api
    }
}

extension GuardKey: CustomStringConvertible {
    var description: String { Redaction.url(api.map { "\(server)/\($0)" } ?? server) }
}
