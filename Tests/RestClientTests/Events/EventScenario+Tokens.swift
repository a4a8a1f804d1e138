// SPDX-License-Identifier: MIT

import RestEssentials

@testable import RestClient

extension EventScenario {
    /// Calls whose token is over or refused.
    static let tokens: [String: EventScenario] = [
        "the token has expired": authenticated(AccessToken("old", expiresAt: .distantPast), answering: .text("1")),
        "the server rejects the token": authenticated(answering: .status(.unauthorized), .text("1")),
        "the server rejects the new token as well": authenticated(answering: .status(.unauthorized)),
        "the token cannot be refreshed": authenticated(
            AccessToken("old", expiresAt: .distantPast),
            isRefreshable: false
        ),
        "a rejected token cannot be refreshed": authenticated(answering: .status(.unauthorized), isRefreshable: false),
    ]

    private static func authenticated(
        _ token: AccessToken = AccessToken("old"),
        answering answers: RawResponse...,
        isRefreshable: Bool = true
    ) -> EventScenario {
        EventScenario(
            client: { client(answering: answers + (answers.isEmpty ? [.text("1")] : []), $0) },
            act: { client, _ in
                // One for each run: scenarios are run more than once, and at the same time.
                let source = TokenSource(token) { _ in
                    guard isRefreshable else {
                        throw RestClientError(.connectionFailed, "failed")
                    }
                    return AccessToken("new")
                }
                _ = try await client.node.bearer(source).send()
            }
        )
    }
}
