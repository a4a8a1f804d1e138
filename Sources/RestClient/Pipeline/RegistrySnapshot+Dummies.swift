// SPDX-License-Identifier: MIT

extension RegistrySnapshot: DummyDirectory {
    func prefix(of server: ServerAlias) -> String? {
        guard case .success(let base)? = servers[server]?.value.base else {
            return nil
        }
        return base.prefix
    }

    func endpoint(of name: String) -> DummyEndpoint? {
        guard let api = apis[name]?.value else {
            return nil
        }
        let server = api.server ?? defaultServer
        let serverOptions = server.flatMap { servers[$0]?.value.options }
        func option<Value>(_ key: CallOptionKey<Value>) -> Value? {
            api.options[key] ?? serverOptions?[key] ?? options[key]
        }
        return DummyEndpoint(
            method: api.method,
            template: api.path,
            server: server,
            dogma: option(.dogma) ?? defaultDogma,
            keyStrategy: option(.keyStrategy),
            dateStrategy: option(.dateStrategy)
        )
    }

    func dogma(_ alias: DogmaAlias) -> (any Dogma)? {
        dogmas[alias]?.value
    }
}
