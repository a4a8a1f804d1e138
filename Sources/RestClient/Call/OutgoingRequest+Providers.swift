// SPDX-License-Identifier: MIT

import JobGraphs

extension OutgoingRequest {
    /// Returns the request with the fields of its call's header providers, within the call's time limit.
    func withProvidedHeaders(_ clock: ClientClock) async throws -> OutgoingRequest {
        let providers = call.policy.headerProviders
        guard !providers.isEmpty else {
            return self
        }
        var request = self
        request.headers = try await clock.limit(to: call) { [headers] in
            var headers = headers
            try await HeaderProvider.apply(providers, to: &headers)
            return headers
        }
        return request
    }
}
