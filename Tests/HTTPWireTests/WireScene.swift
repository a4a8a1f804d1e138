// SPDX-License-Identifier: MIT

import HTTPTypes
import NIOCore
import NIOPosix
import RestEssentials
import Testing

@testable import HTTPWire

/// A client, and the server it talks to.
struct WireScene: Sendable {
    /// A response of two bytes.
    static let fine = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    let client: WireClient
    let server: OddServer

    /// A configuration that gives a busy machine all the time it needs to connect, and waits for consent.
    static func patient(_ change: (inout WireConfiguration) -> Void = { _ in }) -> WireConfiguration {
        var configuration = WireConfiguration()
        configuration.connectTimeout = .hours(1)
        configuration.continueTimeout = .hours(1)
        change(&configuration)
        return configuration
    }

    /// Starts a server that does some steps for each request, and passes it with a client to a body.
    static func with<Result>(
        _ configuration: WireConfiguration = patient(),
        _ respond: @escaping @Sendable (_ number: Int) -> [OddServer.Step],
        _ body: (WireScene) async throws -> Result
    ) async throws -> Result {
        let client = WireClient(configuration, on: MultiThreadedEventLoopGroup.singleton)
        return try await OddServer.with(respond) { server in
            try await body(WireScene(client: client, server: server))
        }
    }

    /// Returns an exchange that has not begun.
    func exchange(
        _ method: String = "GET",
        target: String = "/",
        fields: HTTPFields = [:],
        body: Data? = nil,
        upload: WireStream? = nil,
        limit: Int = .max,
        streams: Bool = true,
        takeOver: WireExchange.TakeOver? = nil
    ) throws -> WireExchange {
        let pool = try client.pool(to: WireOrigin(isSecure: false, host: "127.0.0.1", port: server.port))
        let request = try WireRequest(
            method: method,
            target: target,
            host: "odd.test",
            fields: fields,
            body: body,
            stream: upload
        )
        return WireExchange(
            request,
            over: pool,
            limit: limit,
            codedLimit: limit,
            streams: streams,
            takeOver: takeOver
        )
    }

    /// Sends a request, and reads its whole response.
    func send(
        _ method: String = "GET",
        fields: HTTPFields = [:],
        body: Data? = nil,
        limit: Int = 1 << 20
    ) async throws -> WireResponse {
        try await exchange(method, fields: fields, body: body, limit: limit, streams: false).response()
    }

    /// Sends a request and expects a status, or the name of a fault.
    func expect(
        _ end: String,
        to method: String = "GET",
        body: Data? = nil,
        limit: Int = 1 << 20,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        do {
            let response = try await send(method, body: body, limit: limit)
            #expect("\(response.head.status)" == end, sourceLocation: sourceLocation)
        } catch let fault as WireFault {
            #expect(fault.name == end, sourceLocation: sourceLocation)
        }
    }

    /// Begins an exchange, and reads its response to the end as it comes.
    func text(_ exchange: WireExchange) async throws -> String {
        _ = try await exchange.response()
        var text = ""
        while let chunk = try await exchange.nextChunk() {
            text += String(buffer: chunk)
        }
        return text
    }

    /// Lets what the event loop has to do be done: other exchanges pass it meanwhile.
    func passTime() async throws {
        for _ in 0..<50 {
            _ = try await exchange(streams: false).response()
        }
    }
}
