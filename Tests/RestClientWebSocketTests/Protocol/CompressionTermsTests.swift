// SPDX-License-Identifier: MIT

import Testing

@testable import RestClientWebSocket

/// Agreements of servers to an offer of compression.
@Suite
struct CompressionTermsTests {
    @Test
    func `an agreement is read`() throws {
        let plain = try CompressionTerms(["permessage-deflate"])
        #expect(!plain.serverForgets && !plain.clientForgets && plain.clientWindowBits == 15)

        let full = try CompressionTerms([
            "permessage-deflate; server_no_context_takeover;client_no_context_takeover ;"
                + " server_max_window_bits=8; client_max_window_bits=\"10\""
        ])
        #expect(full.serverForgets && full.clientForgets && full.clientWindowBits == 10)
    }

    @Test(arguments: [
        ["x-webkit-deflate-frame"], ["permessage-deflate", "permessage-deflate"], ["permessage-deflate; unknown"],
        ["permessage-deflate;"], ["permessage-deflate; client_max_window_bits"],
        ["permessage-deflate; client_max_window_bits=8"], ["permessage-deflate; client_max_window_bits=16"],
        ["permessage-deflate; server_max_window_bits=7"], ["permessage-deflate; server_max_window_bits=010"],
        ["permessage-deflate; server_max_window_bits"], ["permessage-deflate; server_no_context_takeover=1"],
        ["permessage-deflate; client_no_context_takeover; client_no_context_takeover"],
    ])
    func `an agreement that was not offered, or that zlib cannot keep, is refused`(extensions: [String]) {
        #expect(throws: CompressionTerms.Refusal.self) { try CompressionTerms(extensions) }
    }
}
