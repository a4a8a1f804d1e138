// SPDX-License-Identifier: MIT

import RestClient

/// Answers everything at once.
struct InstantTransport: Transport {
    func send(_ request: TransportRequest) async throws -> RawResponse {
        RawResponse()
    }
}
