// SPDX-License-Identifier: MIT

/// The reason why a request goes to its server.
enum ServerChoice: Sendable {
    case call
    case api
    case isDefault
    /// The URL of the call is below the server's address.
    case url
    /// Another server failed.
    case fallback
    /// The URL of the call is below no server's address.
    case foreignURL
    /// The call has the address of a server that is not registered.
    case address

    func sentence(_ alias: ServerAlias?) -> String {
        guard let alias else {
            let hasAddress = self == .address
            let reason = hasAddress ? "the call has an address of its own" : "its URL is below no server's address"
            return "The call belongs to no registered server, because \(reason)."
        }
        let reason =
            switch self {
            case .call: "the call names it"
            case .api: "the API names it"
            case .fallback: "the call fell back to it"
            case .url, .foreignURL: "the URL is below its address"
            case .isDefault, .address: "it is the default server"
            }
        return "The server is '\(AliasText.shown(alias.rawValue))', because \(reason)."
    }
}
