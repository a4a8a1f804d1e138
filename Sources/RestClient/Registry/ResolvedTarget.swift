// SPDX-License-Identifier: MIT

struct ResolvedTarget: Sendable {
    /// The part of the URL before the path: scheme, host, port and the server's own path; or the whole URL.
    let prefix: String
    var serverAlias: ServerAlias?
    var server: Registered<Server>?
    var choice = ServerChoice.isDefault
    var apiName: String?
    var api: Registered<API>?
    /// The path below the prefix; `nil` when the prefix is the whole URL.
    var template: PathTemplate?
    var defaults: [String: JSONValue] = [:]
}
