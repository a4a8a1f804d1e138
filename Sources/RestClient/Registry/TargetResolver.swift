// SPDX-License-Identifier: MIT

enum TargetResolver {
    private static func unknownAPI(_ name: String, in registries: RegistrySnapshot) -> RestClientError {
        let shown = AliasText.shown(Redaction.url(name))
        let hint =
            if name.contains("://") {
                "this is a URL: write manager.request(Model.self).url(_:)"
            } else if name.hasPrefix("/") {
                "this is a path: write manager.request(Model.self).endpoint(_:)"
            } else {
                NearestNames.hint(for: name, among: registries.apis.keys)
            }
        return RestClientError(.unknownAPI, "no API is registered as '\(shown)'; \(hint)")
    }

    /// The error of a provider's call that would go elsewhere.
    static func notExposed(_ name: String?, because cause: String) -> RestClientError {
        RestClientError(
            .targetNotExposed,
            "the call began with '\(AliasText.shown(name ?? ""))' of a provider, and must stay with this operation, but "
                + "\(cause); begin the call with an operation that the provider exposes, or with the manager"
        )
    }

    /// Returns the server and the path of a request.
    ///
    /// An unknown alias is an error that suggests the nearest known ones; nothing falls back to something else.
    static func resolve(
        _ target: RequestTarget,
        in registries: RegistrySnapshot
    ) throws(RestClientError) -> ResolvedTarget {
        if target.isConfined, let verb = target.contradiction {
            throw notExposed(target.api, because: "\(verb) chose another target")
        }
        if let name = target.api {
            guard let api = registries.apis[name] else {
                throw unknownAPI(name, in: registries)
            }
            if let models = registries.ambiguousModels(of: name) {
                throw RestClientError(
                    .ambiguousAPI,
                    "the alias '\(AliasText.shown(name))' is registered for several models, "
                        + "\(models.joined(separator: " and ")); give each operation a different alias"
                )
            }
            var resolved = try server(target.alternative ?? api.value.server, usedBy: name, in: registries)
            resolved.choice =
                target.alternative != nil ? .fallback : api.value.server != nil ? .api : .isDefault
            resolved.api = api
            resolved.apiName = name
            resolved.template = api.value.path
            resolved.defaults = api.value.defaults
            if !registries.pathTemplates.isEmpty {
                resolved.defaults.merge(defaults(of: api.value.path, in: registries)) { own, _ in own }
            }
            return resolved
        }
        var resolved: ResolvedTarget
        switch target.alternative.map(RequestTarget.ServerReference.key) ?? target.server {
        case .url(let url):
            if let verb = target.contradiction {
                throw RestClientError(
                    .contradictoryTarget,
                    "the request has a whole URL, '\(Redaction.url(url))', and \(verb); remove one of the two. A URL of a "
                        + "registered server has that server's options anyway"
                )
            }
            // The text that is judged is the text that is sent.
            let whole = try absolute(url)
            resolved = ResolvedTarget(prefix: whole.writtenText, choice: .foreignURL)
            if let (alias, server) = owner(of: whole, in: registries) {
                resolved.serverAlias = alias
                resolved.server = server
                resolved.choice = .url
            }
            return resolved
        case .address(let address):
            let server = Server(address)
            resolved = ResolvedTarget(prefix: try prefix(of: server, named: nil), choice: .address)
        case .key(let key):
            resolved = try self.server(key, usedBy: nil, in: registries)
            resolved.choice = target.alternative == nil ? .call : .fallback
        case .defaultServer:
            resolved = try server(nil, usedBy: nil, in: registries)
        }
        let template = target.endpoint ?? ""
        resolved.template = template
        resolved.defaults = defaults(of: template, in: registries)
        return resolved
    }

    private static func server(
        _ key: ServerAlias?,
        usedBy api: String?,
        in registries: RegistrySnapshot
    ) throws(RestClientError) -> ResolvedTarget {
        var user: String { api.map { AliasText.named("API", $0) } ?? "the request" }
        guard let key = key ?? registries.defaultServer else {
            throw RestClientError(
                .missingTarget,
                "\(user) has no server, and no default server is set; set serverAddress, server or "
                    + "manager.defaultServer"
            )
        }
        guard let server = registries.servers[key] else {
            let hint = NearestNames.hint(for: key.rawValue, among: registries.servers.keys.map(\.rawValue))
            throw RestClientError(
                .unknownServer,
                "no server is registered as '\(AliasText.shown(key.rawValue))', which \(user) needs; \(hint)"
            )
        }
        return ResolvedTarget(
            prefix: try prefix(of: server.value, named: key),
            serverAlias: key,
            server: server
        )
    }

    /// Returns the registered server to which a whole URL belongs; `nil` for none, see ``HTTPURL/owner(among:)``.
    ///
    /// Of two servers with the same address, it is the default one, otherwise the first by name.
    private static func owner(
        of url: HTTPURL,
        in registries: RegistrySnapshot
    ) -> (ServerAlias, Registered<Server>)? {
        guard case .server(let path) = url.owner(among: registries.addresses) else {
            return nil
        }
        let servers = registries.servers.filter { _, server in
            (try? server.value.base.get()).map { $0.path == path && url.hasOrigin(of: $0) } ?? false
        }
        if let alias = registries.defaultServer, let server = servers[alias] {
            return (alias, server)
        }
        return servers.min { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) }
    }

    private static func prefix(of server: Server, named key: ServerAlias?) throws(RestClientError) -> String {
        switch server.base {
        case .success(let base):
            return base.prefix
        case .failure(let defect):
            let name = key.map { "of \(AliasText.named("server", $0.rawValue)) " } ?? ""
            throw RestClientError(
                .invalidServerAddress,
                "the address \(name)'\(Redaction.url(server.address))' is not a valid URL: \(defect.reason)"
            )
        }
    }

    private static func absolute(_ url: String) throws(RestClientError) -> HTTPURL {
        do throws(HTTPURL.Defect) {
            return try HTTPURL(whole: url)
        } catch {
            throw RestClientError(
                .invalidURL,
                "'\(Redaction.url(url))' is not a valid request URL: \(error.reason)"
            )
        }
    }

    private static func defaults(
        of template: PathTemplate,
        in registries: RegistrySnapshot
    ) -> [String: JSONValue] {
        guard !registries.pathTemplates.isEmpty else {
            return [:]
        }
        return registries.pathTemplates[template.rooted]?.value ?? [:]
    }
}

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
