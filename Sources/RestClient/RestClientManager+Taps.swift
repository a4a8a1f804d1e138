// SPDX-License-Identifier: MIT

extension RestClientManager {
    package var taps: ExchangeTaps { core.taps }

    package func limited(_ request: TransportRequest) -> TransportRequest {
        let options = core.snapshot.options
        var request = request
        request.timeout = options[.timeout] ?? .seconds(60)
        request.responseLimit = options[.responseLimit] ?? CallOptions.defaultResponseLimit
        return request
    }

    /// Sends a request without the pipeline, to a server with one of the keys that the manager and the server to which
    /// the URL belongs pin; fails if the transport does not check them.
    package func sendDirectly(_ request: TransportRequest) async throws -> RawResponse {
        var target = RequestTarget()
        target.setURL(request.url)
        let snapshot = core.snapshot
        let resolved = try TargetResolver.resolve(target, in: snapshot)
        let options = snapshot.options(for: resolved)
        var request = request
        request.hasOwnOrigin = resolved.server != nil
        request.pinKeys(by: options[.pinnedKeys], ownURL: request.url)
        try request.checkPins(over: core.transport)
        return try await core.transport.send(request)
    }
}
