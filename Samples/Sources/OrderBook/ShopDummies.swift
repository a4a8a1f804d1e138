// SPDX-License-Identifier: MIT

public import RestClient

/// Dummies that answer like the shop.
public enum ShopDummies {
    /// Registers the dummies; every other call fails.
    public static func register(in manager: RestClientManager) {
        manager.dummies.mode = .strict
        manager.dummies.register(.post, "/login", delay: .milliseconds(5)) { request in
            .text(#"{"token":"offline","user":1}"#, status: request.body == nil ? .badRequest : .ok)
        }
        manager.dummies.register(.get, "/users/{id}/orders") { request in
            guard request.headers[.authorization] == "Bearer offline" else {
                return .status(.unauthorized)
            }
            return request.queryValue("page") == "1"
                ? .text(#"{"orders":[{"id":101,"total":9.5},{"id":102,"total":19.0}],"next":2}"#)
                : .text(#"{"orders":[{"id":103,"total":28.5}],"next":null}"#)
        }
    }
}
