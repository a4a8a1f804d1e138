// SPDX-License-Identifier: MIT

/// What the aliases of dummies are looked up in, and what is known about the call that is matched.
package struct DummyContext: Sendable {
    let registries: RegistrySnapshot

    /// What stands in front of the call's path; empty when that is not known.
    let prefix: String

    /// Whether a server looks for its response: it stands for all servers, and cannot know aliases of calls.
    let isServer: Bool

    init(registries: RegistrySnapshot, prefix: String, isServer: Bool = false) {
        self.registries = registries
        self.prefix = prefix
        self.isServer = isServer
    }

    /// The path of a request below the server that is meant; `nil` when it goes to another one.
    func path(of url: Substring, server: ServerAlias?) -> Substring? {
        if isServer {
            return HTTPURL.path(of: url)
        }
        if let server {
            guard case .success(let base)? = registries.servers[server]?.value.base else {
                return nil
            }
            return Self.tail(of: url, after: base.prefix)
        }
        return path(of: url)
    }

    /// The path of a request below whichever server it goes to.
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
