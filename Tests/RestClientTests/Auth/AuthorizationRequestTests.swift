// SPDX-License-Identifier: MIT

import RestEssentials
import Testing

@testable import RestClient

@Suite
struct AuthorizationRequestTests {
    private static func request(
        endpoint: String = "https://id.example.com/authorize",
        issuer: String? = "https://id.example.com",
        namesIssuer: Bool = false
    ) -> AuthorizationRequest {
        AuthorizationRequest(
            endpoint: endpoint,
            clientID: "app&1",
            scope: "read write",
            issuer: issuer,
            namesIssuer: namesIssuer,
            redirect: "http://127.0.0.1:8000/callback",
            state: "s",
            // The example of RFC 7636, appendix B.
            verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        )
    }

    @Test(
        arguments: [
            ("https://id.example.com/authorize", "https://id.example.com/authorize?"),
            ("https://id.example.com/authorize?tenant=7", "https://id.example.com/authorize?tenant=7&"),
        ]
    )
    func `the address has what RFC 6749 and RFC 7636 ask for`(endpoint: String, beginning: String) {
        #expect(
            Self.request(endpoint: endpoint).address == beginning
                + "response_type=code&client_id=app%261&redirect_uri=http%3A%2F%2F127.0.0.1%3A8000%2Fcallback"
                + "&scope=read%20write&state=s&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
                + "&code_challenge_method=S256"
        )
    }

    @Test
    func `each request has secrets of its own, in the characters of the RFC`() {
        let requests = (0..<100)
            .map { _ in
                AuthorizationRequest(endpoint: "", clientID: "", scope: nil, issuer: nil, namesIssuer: false)
            }
        let secrets = requests.flatMap { [$0.state, $0.verifier] }
        #expect(Set(secrets).count == 200)
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        #expect(secrets.allSatisfy { $0.count == 43 && allowed.isSuperset(of: $0) })
    }

    @Test(
        arguments: [
            ("state=s&code=c", true, true),
            ("code=c&state=s&session_state=x", true, true),
            ("state=s&code=c&iss=https%3A%2F%2Fid.example.com", true, true),
            ("st%61te=s&code=c", true, true),
            // Another login's, or one that somebody made up.
            ("code=c", false, false),
            ("state=&code=c", false, false),
            ("state=S&code=c", false, false),
            ("state=s&state=s&code=c", false, false),
            ("state=s&state=x&code=c", false, false),
            ("", false, false),
            // Another server's.
            ("state=s&code=c&iss=https%3A%2F%2Fevil.example", true, false),
            ("state=s&code=c&iss=https%3A%2F%2Fid.example.com%2F", true, false),
            ("state=s&code=c&iss=https%3A%2F%2Fid.example.com&iss=https%3A%2F%2Fid.example.com", true, false),
            // No code.
            ("state=s", true, false),
            ("state=s&code=", true, false),
            ("state=s&code=c&code=d", true, false),
            ("state=s&error=access_denied", true, false),
            ("state=s&error=access_denied&code=c", true, false),
        ]
    )
    func `a code comes with the state of the request and from its server`(
        query: String,
        isAnswer: Bool,
        hasCode: Bool
    ) {
        let request = Self.request()
        #expect(request.isAnswered(by: query) == isAnswer)
        #expect((try? request.code(in: query)) == (hasCode ? "c" : nil))
    }

    @Test
    func `a server that says it names itself has to`() {
        let request = Self.request(namesIssuer: true)
        #expect((try? request.code(in: "state=s&code=c")) == nil)
        #expect((try? request.code(in: "state=s&code=c&iss=https%3A%2F%2Fid.example.com")) == "c")
        // Without an issuer there is nothing to compare with.
        #expect((try? Self.request(issuer: nil).code(in: "state=s&code=c&iss=x")) == "c")
    }

    @Test
    func `a refusal is told without what would break the line or hold a secret`() {
        let error = #expect(throws: RestClientError.self) {
            try Self.request().code(in: "state=s&error=access%0A%1B%5B31mdenied%20token%3DMARKER")
        }
        #expect(error?.code == .loginRequired)
        #expect(error?.message.contains("\\u{A}") == true)
        #expect(error?.message.contains("MARKER") == false)
        #expect(error?.login == nil)
    }
}
