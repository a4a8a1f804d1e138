// SPDX-License-Identifier: MIT

import RestClient
import RestClientTesting
import RestClientWebSocket

/// The checks of a program whose package does not enable the trait `AsyncHTTPClient`.
@main
struct Checks {
    private struct Failure: Error {
        let count: Int
    }

    private var failures = 0

    static func main() async throws {
        var checks = Self()
        try await checks.sendOverHTTP1()
        try await checks.refuseTheRest()
        guard checks.failures == 0 else {
            throw Failure(count: checks.failures)
        }
        print("all checks passed")
    }

    private mutating func check(_ title: String, _ isTrue: Bool) {
        print(isTrue ? "passed: \(title)" : "FAILED: \(title)")
        failures += isTrue ? 0 : 1
    }

    /// Records whether an operation fails with an error that names the trait.
    private mutating func checkRefusal(_ title: String, _ operation: () async throws -> Void) async {
        do {
            try await operation()
            check(title, false)
        } catch {
            let error = error as? RestClientError
            check(title, error?.code == .transportFailed && error?.message.contains("'AsyncHTTPClient'") == true)
        }
    }

    private static func transport() throws -> DirectTransport {
        var configuration = DirectTransport.Configuration()
        configuration.trustsAnyLoopbackCertificate = true
        return try DirectTransport(configuration: configuration)
    }

    private mutating func sendOverHTTP1() async throws {
        for mode in [LoopbackServer.Mode.http1, .https1(try TestIdentity())] {
            try await LoopbackServer.with(mode) { server in
                server.onAny { request in .text(request.path) }
                let transport = try Self.transport()
                for (path, sent) in [("/a/b", "/a/b"), ("/a|b", "/a%7Cb"), ("/ü", "/%C3%BC")] {
                    let response = try await transport.send(TransportRequest(method: .get, url: server.url + path))
                    check("\(mode): \(path)", String(decoding: response.body, as: UTF8.self) == sent)
                    check("\(mode): \(path) over HTTP/1.1", response.httpVersion == .http11)
                }
                check("\(mode): one connection", server.connectionCount == 1)
            }
        }
    }

    private mutating func refuseTheRest() async throws {
        try await LoopbackServer.with(.https1(try TestIdentity())) { server in
            server.onAny { _ in .text("ok") }
            await checkRefusal("a change of the protocol") {
                var request = TransportRequest(method: .get, url: server.url + "/")
                request.headers[.upgrade] = "other"
                _ = try await Self.transport().open(request)
            }
            await checkRefusal("a tunnel") {
                _ = try await Self.transport().send(TransportRequest(method: .connect, url: server.url + "/"))
            }
            check("nothing was sent", server.connectionCount == 0)
        }
        await checkRefusal("a server of HTTP/2") {
            _ = try await LoopbackServer.start(.http2(try TestIdentity()))
        }
    }
}
