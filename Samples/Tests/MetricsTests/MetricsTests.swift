// SPDX-License-Identifier: MIT

import CoreMetrics
import MetricsTestKit
import RestClient
import RestClientMetrics
import Testing

/// The adapter to swift-metrics is behind a trait, which this package enables.
@Suite
struct MetricsTests {
    private let metrics = TestMetrics()
    private let manager = RestClientManager()

    init() {
        manager.servers["store"] = "https://api.example.com:8443"
        manager.defaultServer = "store"
        manager.dummies.mode = .strict
        manager.dummies.register(.get, "/users/{id}") { _ in .text("7") }
        manager.dummies.register(.get, "/missing") { _ in .status(.notFound) }
    }

    private let server = [
        ("http.request.method", "GET"), ("server.address", "api.example.com"), ("server.port", "8443"),
    ]

    @Test
    func `each attempt is timed under the names of OpenTelemetry`() async throws {
        let recording = manager.recordMetrics(to: metrics)
        let users = manager.request(Int.self).endpoint("/users/{id}")
        _ = try await users.parameter("id", 7).send()
        _ = try await users.parameter("id", 8).send()
        _ = try? await manager.request(Int.self).endpoint("/missing").send()
        _ = try? await manager.request(Int.self).endpoint("/unregistered").send()
        let label = "http.client.request.duration"
        let found = try metrics.expectTimer(
            label,
            server + [("url.template", "/users/{id}"), ("http.response.status_code", "200")]
        )
        #expect(found.values.count == 2)
        #expect(found.values.allSatisfy { $0 > 0 })
        let missing = try metrics.expectTimer(
            label,
            server + [
                ("url.template", "/missing"), ("http.response.status_code", "404"), ("error.type", "404"),
            ]
        )
        #expect(missing.values.count == 1)
        let failed = try metrics.expectTimer(
            label,
            server + [("url.template", "/unregistered"), ("error.type", "dummyNotFound")]
        )
        #expect(failed.values.count == 1)
        #expect(metrics.timers.count == 3)
        recording.cancel()
    }

    @Test
    func `requests on the wire are counted up and down`() async throws {
        let recording = manager.recordMetrics(to: metrics)
        _ = try await manager.request(Int.self).endpoint("/users/7").send()
        _ = try? await manager.request(Int.self).endpoint("/unregistered").send()
        let open = try metrics.expectMeter("http.client.active_requests", server)
        #expect(open.values == [1, 0, 1, 0])
        recording.cancel()
    }

    @Test
    func `outcomes and cache lookups are counted`() async throws {
        let recording = manager.recordMetrics(to: metrics)
        let cached = manager.request(Int.self).endpoint("/users/7").cache(.elseNetwork())
        _ = try await cached.send()
        _ = try await cached.send()
        _ = try? await manager.request(Int.self).endpoint("/missing").send()
        #expect(try metrics.expectCounter("rest_client.calls", [("outcome", "succeeded")]).totalValue == 2)
        #expect(try metrics.expectCounter("rest_client.calls", [("outcome", "status")]).totalValue == 1)
        #expect(try metrics.expectCounter("rest_client.cache.lookups", [("result", "miss")]).totalValue == 1)
        #expect(try metrics.expectCounter("rest_client.cache.lookups", [("result", "hit")]).totalValue == 1)
        recording.cancel()
    }

    @Test
    func `refreshed tokens are counted`() async throws {
        let recording = manager.recordMetrics(to: metrics)
        let session = TokenSource { _ in AccessToken("fresh") }
        let node = manager.request(Int.self).endpoint("/users/7").bearer(session)
        _ = try await node.send()
        _ = try await node.send()
        #expect(try metrics.expectCounter("rest_client.token_refreshes").totalValue == 1)
        recording.cancel()
    }

    @Test
    func `a method of one's own makes no name of its own`() async throws {
        let method = try #require(HTTPRequest.Method("PURGE"))
        manager.dummies.register(method, "/users/{id}") { _ in .text("7") }
        let recording = manager.recordMetrics(to: metrics)
        _ = try await manager.request(Int.self).method(method).endpoint("/users/7").send()
        let other = [("http.request.method", "_OTHER")] + server.dropFirst()
        #expect(try metrics.expectMeter("http.client.active_requests", other).values == [1, 0])
        recording.cancel()
    }

    @Test
    func `no metric contains a secret of a request, a response or an error`() async throws {
        let marker = "m4rker"
        struct Mine: Error { let text: String }
        manager.servers["refused"] = Server("https://kim:\(marker)@api.example.com:8443")
        manager.dummies.register(.get, "/denied") { _ in .text(marker, status: .forbidden) }
        manager.dummies.register(.get, "/failing") { _ in throw Mine(text: marker) }
        let recording = manager.recordMetrics(to: metrics)
        let users = manager.request(Int.self).endpoint("/users/{id}").parameter("id", marker)
        let others = ["/users/7?access_token=m4rker", "/denied", "/failing", "/unregistered"] as [PathTemplate]
        let refused = users.server("refused")
        for node in [users, refused] + others.map({ manager.request(Int.self).endpoint($0) }) {
            _ = try? await node.query(["api_key": "m4rker"]).bearer(marker).send()
        }
        recording.cancel()

        let labels: [[(String, String)]] =
            metrics.timers.map(\.dimensions) + metrics.counters.map(\.dimensions)
        let texts = labels.joined().flatMap { [$0.0, $0.1] }
        #expect(metrics.timers.count >= 3)
        #expect(texts.filter { $0.contains(marker) } == [])
    }

    @Test
    func `recording ends with its token`() async throws {
        manager.recordMetrics(to: metrics).cancel()
        _ = try await manager.request(Int.self).endpoint("/users/7").send()
        #expect(metrics.timers.isEmpty)
        #expect(metrics.counters.isEmpty)
    }
}
