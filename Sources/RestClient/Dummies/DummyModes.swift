// SPDX-License-Identifier: MIT

/// Which requests dummies answer: in general, and where that is said otherwise.
struct DummyModes: Sendable {
    var general: DummyMode
    var servers: [ServerAlias: DummyMode] = [:]
    var apis: [String: DummyMode] = [:]

    init(_ general: DummyMode) {
        self.general = general
    }

    /// Whether dummies answer anything at all.
    var isOn: Bool {
        general != .off || servers.values.contains { $0 != .off } || apis.values.contains { $0 != .off }
    }

    /// The mode for a call: its operation's, else its server's, else the general one.
    func mode(api: String?, server: ServerAlias?) -> DummyMode {
        api.flatMap { apis[$0] } ?? server.flatMap { servers[$0] } ?? general
    }
}
