// SPDX-License-Identifier: MIT

import HTTPTypes

package struct DummyContext: Sendable {
    let directory: (any DummyDirectory)?

    /// The part of the call's URL before the path; empty if it is not known.
    let prefix: String

    /// True if a server looks up its response: it represents all servers, and does not know the aliases of calls.
    let isServer: Bool

    package init(directory: (any DummyDirectory)?, prefix: String = "", isServer: Bool = false) {
        self.directory = directory
        self.prefix = prefix
        self.isServer = isServer
    }

    /// The path of a request below a server; `nil` if the request goes to another one.
    func path(of url: Substring, server: ServerAlias?) -> Substring? {
        if isServer {
            return HTTPURL.path(of: url)
        }
        if let server {
            return directory?.prefix(of: server).flatMap { Self.tail(of: url, after: $0) }
        }
        return path(of: url)
    }

    func path(of url: Substring) -> Substring {
        Self.tail(of: url, after: prefix) ?? HTTPURL.path(of: url)
    }

    private static func tail(of url: Substring, after prefix: String) -> Substring? {
        guard !prefix.isEmpty, url.hasPrefix(prefix) else {
            return nil
        }
        let tail = url.dropFirst(prefix.count)
        return tail.isEmpty || tail.hasPrefix("/") ? tail : nil
    }
}

package protocol DummyDirectory: Sendable {
    /// Returns the prefix of a server's URLs; `nil` if the server is not registered or its address is not valid.
    func prefix(of server: ServerAlias) -> String?

    func endpoint(of api: String) -> DummyEndpoint?

    func dogma(_ alias: DogmaAlias) -> (any Dogma)?
}

package struct DummyEndpoint: Sendable {
    let method: HTTPRequest.Method
    let template: PathTemplate
    let server: ServerAlias?
    let dogma: DogmaAlias
    let keyStrategy: KeyStrategy?
    let dateStrategy: DateStrategy?
}
