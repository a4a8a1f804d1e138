// SPDX-License-Identifier: MIT

/// The target of a request after its aliases were looked up.
struct ResolvedTarget: Sendable {
    /// The part of the URL before the path: scheme, host, port and the server's own path; or the whole URL.
    let prefix: String
    /// The server's alias, when the request has one.
    var serverAlias: ServerAlias?
    /// The registered server, when the request names one by alias.
    var server: Registered<Server>?
    /// The reason for the server.
    var choice = ServerChoice.isDefault
    /// The API's alias, when the request names one.
    var apiName: String?
    /// The registered operation, when the request names one.
    var api: Registered<API>?
    /// The path below the prefix; `nil` when the prefix is the whole URL.
    var template: PathTemplate?
    /// The default values of placeholders.
    var defaults: [String: JSONValue] = [:]
}
