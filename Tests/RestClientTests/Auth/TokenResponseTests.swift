// SPDX-License-Identifier: MIT

import RestEssentials
import Testing

@testable import RestClient

@Suite struct TokenResponseTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func decode(_ text: String) throws -> TokenResponse {
        try JSONDecoder().decode(TokenResponse.self, from: Data(text.utf8))
    }

    @Test
    func `the example of RFC 6749 is understood`() throws {
        let response = try decode(
            """
            {"access_token": "2YotnFZFEjr1zCsicMWpAA", "token_type": "example", "expires_in": 3600,
             "refresh_token": "tGzv3JOkF0XG5Qx2TlKWIA", "example_parameter": "example_value"}
            """
        )
        #expect(response.tokenType == "example")
        let expected = AccessToken(
            "2YotnFZFEjr1zCsicMWpAA",
            expiresAt: now + 3600,
            refreshToken: "tGzv3JOkF0XG5Qx2TlKWIA",
            user: "kim"
        )
        #expect(response.token(user: "kim", now: now) == expected)
        #expect(!"\(response)".contains("2Yotn"))
    }

    @Test(
        arguments: [
            ("", nil), (#", "expires_in": null"#, nil), (#", "expires_in": "3600""#, .seconds(3600)),
            (#", "expires_in": 1.5"#, .seconds(1.5)), (#", "expires_in": -1"#, .zero),
            (#", "expires_in": 1e300"#, .seconds(3_155_760_000)),
        ] as [(String, Duration?)]
    )
    func `a lifetime may be left out, a text, or beyond all measure`(member: String, lifetime: Duration?) throws {
        let response = try decode(#"{"access_token": "a"\#(member)}"#)
        #expect(response.expiresIn == lifetime)
        #expect((response.token(now: now).expiresAt == nil) == (lifetime == nil))
    }

    @Test(arguments: [
        #"{"access_token": 7}"#, #"{"error": "invalid_grant"}"#, #"{"access_token": "a", "expires_in": "x"}"#,
    ])
    func `a response without a token is rejected`(text: String) {
        #expect(throws: DecodingError.self) { try decode(text) }
    }
}
