// SPDX-License-Identifier: MIT

import Foundation
import NIOCore
import NIOHTTP1

/// The shop's operations: login, users, paged orders with entity tags, a slow one and a failing one.
enum Shop {
    /// An operation's failure, as its status and a sentence.
    private struct Failure: Error {
        let status: HTTPResponseStatus
        let title: String
    }

    /// Returns the response to a request.
    static func response(to request: ShopRequest) -> ShopResponse {
        do {
            return try result(of: request)
        } catch let failure as Failure {
            return .problem(failure.status, failure.title)
        } catch {
            return .problem(.badRequest, "the body is not what the operation takes")
        }
    }

    private static func result(of request: ShopRequest) throws -> ShopResponse {
        let path = request.path
        switch (request.method, path.count, path.first ?? "") {
        case (.POST, 1, "login"):
            let login = try JSONDecoder().decode(Login.self, from: request.body)
            return try .json(Session(token: "token-of-\(login.user)", user: 1))
        case (.GET, 1, "users"):
            try authorize(request)
            return try .json(User.all)
        case (.GET, 2, "users"):
            try authorize(request)
            return try .json(user(path[1]))
        case (.GET, 3, "users") where path[2] == "orders":
            try authorize(request)
            return try orders(of: user(path[1]), request)
        case (.GET, 1, "slow"):
            var response = ShopResponse(body: Data("worth waiting for".utf8), contentType: "text/plain; charset=utf-8")
            response.delay = .milliseconds(400)
            return response
        case (.GET, 1, "failing"):
            throw Failure(status: .serviceUnavailable, title: "the stock system is down")
        default:
            throw Failure(status: .notFound, title: "the shop has no such operation")
        }
    }

    private static func authorize(_ request: ShopRequest) throws {
        guard request.headers["Authorization"].contains(where: { $0.hasPrefix("Bearer token-of-") }) else {
            throw Failure(status: .unauthorized, title: "log in first")
        }
    }

    private static func user(_ id: Substring) throws -> User {
        guard let user = User.all.first(where: { "\($0.id)" == id }) else {
            throw Failure(status: .notFound, title: "there is no such user")
        }
        return user
    }

    /// Returns a page of orders with its entity tag; 304 if the client has it already.
    private static func orders(of user: User, _ request: ShopRequest) throws -> ShopResponse {
        let number = request.query("page").flatMap { Int($0) } ?? 1
        let page = OrderPage.of(user, number: number)
        let tag = "\"orders-\(user.id)-\(number)-\(page.orders.count)\""
        var response: ShopResponse =
            request.headers["If-None-Match"].contains(tag) ? .status(.notModified) : try .json(page)
        response.entityTag = tag
        return response
    }
}

/// A request to the shop.
struct ShopRequest {
    let method: HTTPMethod
    let headers: HTTPHeaders
    let body: Data
    private let target: String

    init(_ head: HTTPRequestHead, body: ByteBuffer) {
        method = head.method
        headers = head.headers
        target = head.uri
        self.body = Data(body.readableBytesView)
    }

    /// The segments of the path, as they were sent.
    var path: [Substring] { target.prefix { $0 != "?" }.split(separator: "/") }

    /// Returns the value of an item of the query, as it was sent.
    func query(_ name: String) -> Substring? {
        let items = target.drop { $0 != "?" }.dropFirst().split(separator: "&")
        return items.first { $0.hasPrefix("\(name)=") }?.dropFirst(name.count + 1)
    }
}

/// A response of the shop.
struct ShopResponse {
    var status = HTTPResponseStatus.ok
    var body = Data()
    var contentType: String?
    var entityTag: String?
    /// How long the shop takes for it.
    var delay = TimeAmount.zero

    static func status(_ status: HTTPResponseStatus) -> ShopResponse { ShopResponse(status: status) }

    static func json(_ value: some Encodable) throws -> ShopResponse {
        ShopResponse(body: try JSONEncoder().encode(value), contentType: "application/json")
    }

    static func problem(_ status: HTTPResponseStatus, _ title: String) -> ShopResponse {
        let body = try? JSONEncoder().encode(Problem(status: Int(status.code), title: title))
        return ShopResponse(status: status, body: body ?? Data(), contentType: "application/problem+json")
    }

    var headers: HTTPHeaders {
        var headers = HTTPHeaders()
        if status != .notModified {
            headers.add(name: "Content-Length", value: "\(body.count)")
        }
        if let contentType {
            headers.add(name: "Content-Type", value: contentType)
        }
        if let entityTag {
            headers.add(name: "ETag", value: entityTag)
        }
        return headers
    }
}
