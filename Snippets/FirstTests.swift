// SPDX-License-Identifier: MIT

// snippet.show
import RestClient
import RestClientTesting
import Testing

struct User: Codable {
    let id: Int
    let name: String
}

/// The code under test, the same as in production.
func userNames() async throws -> [String] {
    let users = RestClientManager.shared.request([User].self).url("https://api.example.com/users").retry(3)
    return try await users.send().map(\.name)
}

@Suite(.dummies { Dummy(.get, "/users").responds(.json([User(id: 1, name: "Ada")])) })
struct UserTests {
    @Test func `names are those of the users`() async throws {
        #expect(try await userNames() == ["Ada"])
    }

    @Test(.dummies { Dummy(.get, "/users").responds(.status(.serviceUnavailable)).then(.json([User]())) })
    func `a failed attempt is repeated`() async throws {
        #expect(try await userNames() == [])
        try RestClientManager.shared.dummies.verify(Dummy(.get, "/users"), times: 2)
    }
}
// snippet.hide

let dummies = [Dummy(.get, "/users").responds(.json([User(id: 1, name: "Ada")]))]
try await RestClientManager.shared.withDummies(.strict, dummies) { print(try await userNames()) }
