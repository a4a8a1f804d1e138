// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient
import TestSupport

/// A server that accepts one token, and issues another one when it is asked at `/token`.
final class AuthenticatedServer: Sendable {
    /// The token that the server accepts; `nil` refuses everything.
    private let valid: String?

    /// The gate at which calls with a token wait before it is checked.
    let door: Gate

    /// Where refreshes wait before they call the server.
    let issuing: Gate

    private let seen = Recorder<(path: String, token: String?)>()

    init(accepting token: String? = "t1", opensDoor: Bool = true, issuesAtOnce: Bool = true) {
        valid = token
        door = Gate(isOpen: opensDoor)
        issuing = Gate(isOpen: issuesAtOnce)
    }

    /// A client of the server, whose default server requires tokens of the source that is created with its manager.
    func client(
        _ token: AccessToken? = AccessToken("t0"),
        configure: (inout RestClientManager.Configuration) -> Void = { _ in }
    ) -> (client: StubbedClient, session: TokenSource) {
        let client = StubbedClient(StubTransport { [self] in try await answer($0) }, configure: configure)
        let session = TokenSource(token) { [issuing, weak manager = client.manager] _ in
            try await issuing.wait()
            guard let manager else {
                throw CancellationError()
            }
            return AccessToken(try await manager.request(String.self).endpoint("/token").dogma(.raw).send())
        }
        client.manager.servers["store"] = Server("https://api.example.com").authentication(.bearer(session))
        return (client, session)
    }

    /// How many refreshes there were.
    var refreshCount: Int { seen.elements.count { $0.path == "/token" } }

    /// The tokens of all other calls, in the order in which they came.
    var tokens: [String?] { seen.elements.filter { $0.path != "/token" }.map(\.token) }

    /// The tokens in requests of refreshes, which should be empty.
    var tokensOfRefreshes: [String?] { seen.elements.filter { $0.path == "/token" }.map(\.token) }

    private func answer(_ request: TransportRequest) async throws -> RawResponse {
        let path = String(request.url.dropFirst("https://api.example.com".count))
        let field = request.headers[.authorization]
        let token = field.map { String($0.dropFirst("Bearer ".count)) }
        seen.record((path, token))
        if path == "/token" {
            return .text("t\(refreshCount)")
        }
        try await door.wait()
        return token != nil && token == valid ? .text("7") : .status(.unauthorized)
    }
}
