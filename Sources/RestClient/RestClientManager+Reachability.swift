// SPDX-License-Identifier: MIT

extension RestClientManager {
    /// Returns the probe of a server, which is the same for each call of this method.
    ///
    /// - Parameter server: The alias of the server, which may be registered later.
    /// - Returns: The probe. It asks nothing before it is told to.
    public func reachability(of server: ServerAlias) -> ReachabilityProbe {
        core.probes.inside(core.isolation)[server]
    }
}
