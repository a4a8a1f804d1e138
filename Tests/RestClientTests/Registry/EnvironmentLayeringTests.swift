// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

/// The precedence of environments and managers: the pure function, without a manager.
@Suite
struct EnvironmentLayeringTests {
    private static let builtIn: [DogmaAlias: Registered<any Dogma>] = [.json: Registered(JSONDogma())]

    private static func layer(_ change: (inout ClientEnvironment) -> Void) -> EnvironmentLayer {
        var environment = ClientEnvironment()
        change(&environment)
        return EnvironmentLayer(environment, as: "staging")
    }

    private static func laid(_ own: RegistrySnapshot, over layer: EnvironmentLayer) -> RegistrySnapshot {
        own.laid(over: layer, builtIn: builtIn)
    }

    @Test(arguments: [(false, false, nil), (true, false, "environment"), (false, true, "own"), (true, true, "own")])
    func `the manager's own server, API, default server and option win`(
        inEnvironment: Bool,
        inManager: Bool,
        winner: String?
    ) {
        let layer = Self.layer { environment in
            guard inEnvironment else {
                return
            }
            environment.servers["store"] = "environment"
            environment.apis[APIAlias<Void>("a")] = API(.get, "environment")
            environment.defaultServer = "environment"
            environment = environment.option(.tenant, "environment")
        }
        let own = RegistrySnapshot(
            servers: inManager ? ["store": Registered("own")] : [:],
            apis: inManager ? ["a": Registered(API(.get, "own"))] : [:],
            defaultServer: inManager ? "own" : nil,
            options: inManager
                ? CallOptions().overlaid(with: CallOptions().option(.tenant, "own"), at: .manager) : .init()
        )

        let tables = Self.laid(own, over: layer)

        #expect(tables.servers["store"]?.value.address == winner)
        #expect(tables.apis["a"]?.value.path.source == winner)
        #expect(tables.defaultServer?.rawValue == winner)
        #expect(tables.options[.tenant] == winner)
        #expect(tables.options.level(of: .tenant) == (inManager ? .manager : inEnvironment ? .environment : nil))
    }

    @Test(arguments: [(false, false), (false, true), (true, false), (true, true)])
    func `a dogma of an environment wins over the built-in one, and yields to the manager's own`(
        isInEnvironment: Bool,
        isReplaced: Bool
    ) {
        let layer = Self.layer { $0.dogmas = isInEnvironment ? [.json: FormDogma()] : [:] }
        let own = RegistrySnapshot(dogmas: isReplaced ? [.json: Registered<any Dogma>(RawDogma())] : Self.builtIn)
        let dogma = Self.laid(own, over: layer).dogmas[.json]?.value
        switch (isReplaced, isInEnvironment) {
        case (true, _): #expect(dogma is RawDogma)
        case (false, true): #expect(dogma is FormDogma)
        case (false, false): #expect(dogma is JSONDogma)
        }
    }

    @Test
    func `entries of different aliases add up, and an entry is replaced as a whole`() {
        let layer = Self.layer { environment in
            environment.servers = ["a": "environment", "b": Server("environment").option(.tenant, "environment")]
        }
        let own = RegistrySnapshot(servers: ["b": Registered("own"), "c": Registered("own")])
        let tables = Self.laid(own, over: layer)
        #expect(tables.servers.mapValues(\.value.address) == ["a": "environment", "b": "own", "c": "own"])
        #expect(tables.servers["b"]?.value.options[.tenant] == nil)
    }

    @Test
    func `options that add up begin with the environment's`() {
        let layer = Self.layer { $0 = $0.mapError { $0 }.cacheTags("e") }
        let own = RegistrySnapshot(options: CallOptions().overlaid(with: CallOptions().cacheTags("m"), at: .manager))
        let tables = Self.laid(own, over: layer)
        #expect(tables.options[.cacheTags] == ["e", "m"])
        #expect(tables.options.contributions(to: .cacheTags).map(\.level) == [.environment, .manager])
    }

    @Test
    func `an alias with one model in the environment and another in the manager is ambiguous`() {
        let layer = Self.layer { $0.apis[APIAlias<Int>("a")] = API(.get, "/a") }
        let own = RegistrySnapshot(apis: ["a": Registered(API(.get, "/a"))], models: ["a": ["Swift.String"]])
        let tables = Self.laid(own, over: layer)
        #expect(tables.ambiguousModels(of: "a") == ["Swift.Int", "Swift.String"])
        #expect(own.ambiguousModels(of: "a") == nil)
    }

    @Test
    func `partitions of environments cannot be mistaken for one another`() {
        let names: [EnvironmentAlias] = ["a", "a\nuser:kim", "a b", "1:a", "", "environment:1:a"]
        let partitions = names.map { EnvironmentLayer(ClientEnvironment(), as: $0).partition }
        #expect(Set(partitions).count == names.count)
        // Whatever follows a partition in a key, it does not begin like another environment's.
        for (index, partition) in partitions.enumerated() {
            #expect(!partitions.enumerated().contains { $0 != index && $1.hasPrefix(partition) })
        }
        let unnamed = (0..<8).map { _ in EnvironmentLayer(ClientEnvironment(), as: nil).partition }
        #expect(Set(unnamed).count == unnamed.count)
    }
}

extension CallOptionKey<String> {
    fileprivate static var tenant: Self { Self("tenant") }
}
