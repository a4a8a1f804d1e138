// SPDX-License-Identifier: MIT

#if Logging

import HTTPTypes
import InMemoryLogging
import Logging
import RestClient
import RestClientLogging
import Testing

@Suite
struct LoggingTests {
    private let manager = RestClientManager.dummy
    private let handler = InMemoryLogHandler()

    private var logger: Logger {
        var logger = Logger(label: "test") { [handler] _ in handler }
        logger.logLevel = .trace
        return logger
    }

    private var messages: [String] { handler.entries.map { "\($0.level) \($0.message)" } }

    @Test
    func `each event is one line at its level`() async throws {
        let logging = manager.log(to: logger)
        _ = try await manager.request(Int.self).endpoint("/users/7").send()
        _ = try? await manager.request(Int.self).endpoint("/missing").send()
        manager.emit("synced")
        #expect(
            messages == [
                "debug callStarted", "debug attemptStarted", "debug dummyMatched", "debug attemptFinished",
                "debug modelLoaded", "info callSucceeded",
                "debug callStarted", "debug attemptStarted", "debug dummyMatched", "debug attemptFinished",
                "error callFailed", "info custom",
            ]
        )
        logging.cancel()
        manager.emit("unheard")
        #expect(messages.count == 12)
    }

    @Test
    func `a message names the call, its request and its outcome`() async throws {
        let logging = manager.log(to: logger, .names(.callSucceeded))
        let user: APIAlias<Int> = "user"
        manager.apis[user] = API(.get, "/users/{id}")
        let response = try await manager.request(user).parameter("id", 7).callIdentifier("mine").response()
        let metadata = try #require(handler.entries.first).metadata
        #expect(metadata["call"] == "\(response.callID)")
        #expect(metadata["method"] == "GET")
        #expect(metadata["url"] == "https://api.example.com/users/7")
        #expect(metadata["api"] == "user")
        #expect(metadata["endpoint"] == "/users/{id}")
        #expect(metadata["callIdentifier"] == "mine")
        #expect(metadata["status"] == "200")
        #expect(metadata["source"] == "dummy")
        #expect(metadata["group"] == nil)
        logging.cancel()
    }

    @Test
    func `no line shows a credential`() async {
        let logging = manager.log(to: logger)
        _ = try? await manager.request(Token.self).endpoint("/token").bearer("s3cret").query(["token": "s3cret"]).send()
        _ = try? await manager.request(Int.self).endpoint("/token").bearer("s3cret").query(["token": "s3cret"]).send()
        manager.emit("logged in", payload: ["password": "s3cret"])
        #expect(handler.entries.count > 8)
        for entry in handler.entries {
            #expect(!"\(entry.message) \(entry.metadata)".contains("s3cret"))
        }
        logging.cancel()
    }

    @Test
    func `a muted call is not logged, with any outcome`() async {
        let logging = manager.log(to: logger)
        _ = try? await manager.request(Int.self).endpoint("/users/7").muted().send()
        _ = try? await manager.request(Int.self).endpoint("/missing").muted().send()
        _ = try? await manager.request(Int.self).server("unknown").muted().send()
        #expect(messages.isEmpty)
        logging.cancel()
    }

    @Test
    func `levels and the logger's own level decide what is kept`() async throws {
        var quiet = logger
        quiet.logLevel = .info
        let logging = manager.log(to: quiet)
        let own = manager.log(to: logger) { $0.isTerminal ? .critical : nil }
        _ = try await manager.request(Int.self).endpoint("/users/7").send()
        #expect(messages.sorted() == ["critical callSucceeded", "info callSucceeded"])
        logging.cancel()
        own.cancel()
    }

    private struct Token: Decodable {
        let token: String
    }
}

extension RestClientManager {
    /// A manager whose dummies respond with a number for users, a token, and 404 for everything else.
    static var dummy: RestClientManager {
        dummy { _ in }
    }

    /// The same with a configuration of the test's.
    static func dummy(_ configure: (inout RestClientManager.Configuration) -> Void) -> RestClientManager {
        var configuration = RestClientManager.Configuration()
        configuration = configuration.timeout(.seconds(3_600))
        configure(&configuration)
        let manager = RestClientManager(configuration: configuration)
        manager.servers["store"] = "https://api.example.com"
        manager.defaultServer = "store"
        manager.dummies.mode = .strict
        manager.dummies.register(.get, "/users/{id}") { _ in .text("7") }
        manager.dummies.register(.get, "/token") { _ in .text(#"{"token": "s3cret"}"#) }
        manager.dummies.register(.get, "/missing") { _ in .status(.notFound) }
        return manager
    }
}

#endif
