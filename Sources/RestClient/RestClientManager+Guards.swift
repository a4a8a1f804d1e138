// SPDX-License-Identifier: MIT

extension RestClientManager {
    /// The guards of the servers: rates, circuit breakers and numbers of calls, to look at and to isolate servers.
    public var guards: ServerGuards { core.guards.inside(core.isolation) }
}
