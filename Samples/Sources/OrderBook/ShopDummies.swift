// SPDX-License-Identifier: MIT

public import RestClient

/// Dummies that respond like the shop.
public enum ShopDummies {
    private struct Login: Decodable {
        let user: String
    }

    /// The dummies, for a program to register or for a test's trait.
    @DummyBuilder public static var all: [Dummy] {
        Dummy(.post, "/login").delay(.milliseconds(5))
            .responds { request in
                _ = try request.model(Login.self)
                return .json(["token": .string("offline"), "user": .int(1)] as JSONValue)
            }
        // The second page has the last order. A request without the token gets neither.
        Dummy(.get, "/users/{id}/orders?page=1").matching("is logged in", where: isLoggedIn)
            .responds(.text(#"{"orders":[{"id":101,"total":9.5},{"id":102,"total":19.0}],"next":2}"#))
        Dummy(.get, "/users/{id}/orders?page=2").matching("is logged in", where: isLoggedIn)
            .responds(.text(#"{"orders":[{"id":103,"total":28.5}],"next":null}"#))
        Dummy(.get, "/users/{id}/orders").responds(.status(.unauthorized))
    }

    @Sendable private static func isLoggedIn(_ request: DummyRequest) -> Bool {
        request.headers[.authorization] == "Bearer offline"
    }
}
