// SPDX-License-Identifier: MIT

/// A set of servers, options and registrations that is used as a whole, such as that of a staging system.
///
/// It is a layer beneath a manager's own tables: what the manager registers or sets itself wins. So register in
/// environments everything that differs between them, and in the manager only what they share. Set the options of its
/// calls with the methods of ``CallConfigurable``:
///
/// ```swift
/// manager.environments[.production] = ClientEnvironment(servers: [.store: "https://api.example.com/v1"])
/// manager.environments[.staging] = ClientEnvironment(
///     servers: [.store: Server("https://staging.example.com/v1").bearer(stagingSession)]
/// ).timeout(.seconds(60))
///
/// try manager.environments.use(.staging)
/// ```
public struct ClientEnvironment: CallConfigurable, Sendable {
    /// The options of every call; those of the manager, the server, the API and the call override them.
    public var options = CallOptions()

    /// The servers by alias; the manager's own server of an alias wins.
    public var servers: [ServerAlias: Server]

    /// The server of requests without one; the manager's own ``RestClientManager/defaultServer`` wins.
    public var defaultServer: ServerAlias?

    /// The API operations by alias; the manager's own operation of an alias wins.
    public var apis = APIs()

    /// The dogmas by name; the manager's own win, except the built-in ones.
    public var dogmas: [DogmaAlias: any Dogma] = [:]

    /// Creates an environment.
    ///
    /// - Parameters:
    ///   - servers: The servers by alias.
    ///   - defaultServer: The server of requests without one.
    public init(servers: [ServerAlias: Server] = [:], defaultServer: ServerAlias? = nil) {
        self.servers = servers
        self.defaultServer = defaultServer
    }
}

extension ClientEnvironment {
    /// The API operations of an environment by alias.
    public struct APIs: Sendable {
        private(set) var entries: [String: Registered<API>] = [:]

        /// The models for which each alias was registered, by name: more than one is an error.
        private(set) var models: [String: Set<String>] = [:]

        /// The operation behind an alias; assigning `nil` removes the alias.
        public subscript<Model>(alias: APIAlias<Model>) -> API? {
            get { entries[alias.rawValue]?.value }
            set {
                entries[alias.rawValue] = newValue.map(Registered.init)
                if newValue == nil {
                    models[alias.rawValue] = nil
                } else {
                    _ = models[alias.rawValue, default: []].insert(String(reflecting: Model.self))
                }
            }
        }
    }
}

extension ClientEnvironment: CustomReflectable {
    /// The names of the environment's registrations, its servers and its options, for `dump` and other uses of
    /// reflection.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "servers": servers, "defaultServer": defaultServer as Any, "apis": apis.entries.mapValues(\.value),
                "dogmas": dogmas.keys.map(\.rawValue).sorted(), "options": options.description,
            ]
        )
    }
}
