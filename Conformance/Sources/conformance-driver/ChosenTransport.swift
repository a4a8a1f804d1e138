// SPDX-License-Identifier: MIT

import RestClient
import Synchronization

/// Sends each request over the transport with the trust and the version that its line asks for.
final class ChosenTransport: Transport {
    struct Terms: Hashable, Sendable {
        var ca: String?
        var version = Route.Version.auto

        /// Returns a configuration with these terms.
        func applied(to configuration: DirectTransport.Configuration) throws -> DirectTransport.Configuration {
            var configuration = configuration
            if let ca {
                configuration.additionalTrustRoots = [try TransportOptions.text(ca)]
            }
            switch version {
            case .auto: break
            case .http1: configuration.usesHTTP2 = false
            case .http2, .plainHTTP2: configuration.requiresHTTP2 = true
            }
            return configuration
        }
    }

    /// The terms of the request that the current task serves.
    @TaskLocal static var terms = Terms()

    var checksPinnedKeys: Bool { true }
    var followsRoutes: Bool { true }

    private let configuration: DirectTransport.Configuration
    private let made = Mutex<[Terms: DirectTransport]>([:])

    init(_ configuration: DirectTransport.Configuration) throws {
        self.configuration = configuration
        _ = try transport(for: Terms())
    }

    func send(_ request: TransportRequest) async throws -> RawResponse {
        try await transport(for: Self.terms).send(request)
    }

    func open(_ request: TransportRequest) async throws -> RawResponse {
        try await transport(for: Self.terms).open(request)
    }

    private func transport(for terms: Terms) throws -> DirectTransport {
        if let transport = made.withLock({ $0[terms] }) {
            return transport
        }
        let transport = try DirectTransport(configuration: try terms.applied(to: configuration))
        return made.withLock { made in
            let first = made[terms] ?? transport
            made[terms] = first
            return first
        }
    }
}
