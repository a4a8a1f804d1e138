// SPDX-License-Identifier: MIT

import RestClient

/// Responds to every request at once.
struct InstantTransport: Transport {
    func send(_ request: TransportRequest) async throws -> RawResponse {
        RawResponse()
    }
}
