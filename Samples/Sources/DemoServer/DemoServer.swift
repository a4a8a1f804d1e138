// SPDX-License-Identifier: MIT

import Hummingbird
import Logging

/// A shop's REST API on a real socket of this machine, for as long as a closure runs.
public enum DemoServer {
    /// Starts the server on a free port, runs the closure with its address, and stops the server.
    ///
    /// - Parameter body: The work; it receives an address like `http://127.0.0.1:41231`.
    /// - Throws: The error of the closure, or the error that prevented the server from starting.
    public static func run(_ body: @escaping @Sendable (String) async throws -> Void) async throws {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router(),
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                port.yield(channel.localAddress?.port ?? 0)
                port.finish()
            },
            logger: quiet()
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.runService(gracefulShutdownSignals: []) }
            for await number in ports {
                try await body("http://127.0.0.1:\(number)")
            }
            group.cancelAll()
        }
    }

    private static func quiet() -> Logger {
        var logger = Logger(label: "demo")
        logger.logLevel = .critical
        return logger
    }

    private static func router() -> Router<BasicRequestContext> {
        let router = Router()
        router.post("/login") { request, context in
            let login = try await request.decode(as: Login.self, context: context)
            return Session(token: "token-of-\(login.user)", user: 1)
        }
        router.get("/users") { request, _ in
            try authorize(request)
            return User.all
        }
        router.get("/users/:id") { request, context in
            try authorize(request)
            let id = try context.parameters.require("id", as: Int.self)
            guard let user = User.all.first(where: { $0.id == id }) else {
                throw HTTPError(.notFound, message: "there is no user \(id)")
            }
            return user
        }
        router.get("/users/:id/orders") { request, context in
            try authorize(request)
            return try orders(request, user: context.parameters.require("id", as: Int.self))
        }
        router.get("/slow") { _, _ in
            try await Task.sleep(for: .milliseconds(400))
            return "worth waiting for"
        }
        router.get("/failing") { _, _ -> String in
            throw HTTPError(.serviceUnavailable, message: "the stock system is down")
        }
        return router
    }

    private static func authorize(_ request: Request) throws {
        guard request.headers[.authorization]?.hasPrefix("Bearer token-of-") == true else {
            throw HTTPError(.unauthorized, message: "log in first")
        }
    }

    /// A page of orders with its entity tag; 304 when the client has it already.
    private static func orders(_ request: Request, user: Int) throws -> Response {
        let number = request.uri.queryParameters.get("page", as: Int.self) ?? 1
        let page = OrderPage.of(user: user, number: number)
        let tag = "\"orders-\(user)-\(number)-\(page.orders.count)\""
        if request.headers[.ifNoneMatch] == tag {
            return Response(status: .notModified, headers: [.eTag: tag])
        }
        return Response(
            status: .ok,
            headers: [.contentType: "application/json", .eTag: tag],
            body: .init(byteBuffer: ByteBuffer(string: page.json))
        )
    }
}
