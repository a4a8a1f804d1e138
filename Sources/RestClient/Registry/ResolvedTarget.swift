// SPDX-License-Identifier: MIT

import HTTPTypes

/// Where a request goes once its aliases are looked up.
struct ResolvedTarget: Sendable {
    /// What stands in front of the path: scheme, host, port and the server's own path; or the whole URL.
    var prefix: String
    /// The path below the prefix; `nil` when the prefix is the whole URL.
    var template: PathTemplate?
    var defaults: [String: JSONValue] = [:]
    var serverKey: ServerKey?
    var serverHeaders: HTTPFields = [:]
    var api: API?
    var apiName: String?
}
