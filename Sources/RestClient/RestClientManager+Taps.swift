// SPDX-License-Identifier: MIT

extension RestClientManager {
    /// The taps on the manager's exchanges, which recording products attach.
    package var taps: ExchangeTaps { core.taps }

    /// The transport, for products that send requests without the pipeline.
    package var transport: any Transport { core.transport }

    /// Returns a request with the manager's timeout and response limit.
    package func limited(_ request: TransportRequest) -> TransportRequest {
        let options = core.snapshot.options
        var request = request
        request.timeout = options[.timeout] ?? .seconds(60)
        request.responseLimit = options[.responseLimit] ?? CallOptions.defaultResponseLimit
        return request
    }
}
