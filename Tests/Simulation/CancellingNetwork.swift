// SPDX-License-Identifier: MIT

import RestClient

/// The same network as a transport that heeds the cancellation of calls, whose calls need no tasks of their own.
struct CancellingNetwork: CancellingTransport {
    let network: SimulatedNetwork

    func send(_ request: TransportRequest) async throws -> RawResponse {
        try await network.send(request)
    }
}
