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
        #""scope": ["chat:read", "chat:edit"]"#, #""scope": "chat:read chat:edit""#,
    ])
    func `scopes may be a list`(member: String) throws {
        #expect(try decode(#"{"access_token": "a", \#(member)}"#).scope == "chat:read chat:edit")
    }

    @Test(
        arguments: ["scope", "token_type", "refresh_token", "expires_in", "expires_at", "id_token"],
        ["null", "7", "true", "[]", "[1]", "{}", #"{"a": 1}"#, "\"\""]
    )
    func `a member without a use decides nothing about the token`(name: String, value: String) throws {
        let response = try decode(#"{"access_token": "a", "\#(name)": \#(value), "x": [{}]}"#)

        #expect(response.accessToken == "a")
        let expiry = name == "expires_in" && value == "7" ? now + 7 : nil
        #expect(response.token(now: now) == AccessToken("a", expiresAt: expiry))
        #expect(response.tokenType == nil)
        #expect(response.scope == nil)
    }

    @Test(
        arguments: [
            (#""expires_in": 1800000060"#, 60), (#""expires_in": "1800000060000""#, 60),
            (#""expires_in": 1800000060000000"#, 60), (#""expires_at": 1800000060"#, 60),
            (#""expires_at": 1800000060000"#, 60), (#""expires_at": "1800000060""#, 60),
            (#""expires_at": "2027-01-15T08:01:00Z""#, 60), (#""expires_at": "2027-01-15T08:01:00.500Z""#, 60.5),
            (#""expires_in": 30, "expires_at": 1800000060"#, 30), (#""expires_in": "x", "expires_at": 1800000060"#, 60),
            (#""expires_in": " 60 ""#, 60), (#""expires_in": "-60""#, 0), (#""expires_in": "60.5""#, 60.5),
            (#""expires_in": "x""#, nil), (#""expires_in": "0x10""#, nil), (#""expires_in": "inf""#, nil),
            (#""expires_at": 60"#, nil), (#""expires_at": "soon""#, nil),
        ] as [(String, Double?)]
    )
    func `a lifetime may be a moment, in any unit`(members: String, seconds: Double?) throws {
        let token = try decode(#"{"access_token": "a", \#(members)}"#).token(now: now)

        #expect(token.expiresAt == seconds.map { now + $0 })
    }

    @Test(arguments: [
        #"{"access_token": 7}"#, #"{"error": "invalid_grant"}"#, #"{"access_token": null}"#, #"{"access_token": ""}"#,
    ])
    func `a response without a token is rejected`(text: String) {
        #expect(throws: DecodingError.self) { try decode(text) }
    }
}
