// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import Synchronization
import TestSupport
import Testing

@testable import RestClient

/// Requests that are remembered: equal nodes have one, and no other nodes do.
@Suite
struct RequestMemoTests {
    private let client = StubbedClient()
    private var manager: RestClientManager { client.manager }

    init() {
        client.manager.apis[APIAlias<Void>(rawValue: "item")] = API(.get, "/items/{item}")
    }

    /// The settled requests of this test.
    private let settled = Recorder<PreparedRequest>()

    private struct Resolved {
        let request: OutgoingRequest
        /// True if the settled request is that of an equal node before.
        let isKnown: Bool
    }

    private func resolve(_ node: RequestNode<some Sendable>) throws -> Resolved {
        let beginning = CallContext.Beginning(id: .next(), start: .seconds(5))
        let resolved = try manager.runner.prepare(node.specification, beginning)
        let isKnown = settled.elements.contains { $0 === resolved.prepared }
        if !isKnown {
            settled.record(resolved.prepared)
        }
        return Resolved(request: try resolved.request, isKnown: isKnown)
    }

    private var item: RequestNode<Void> { manager.request(APIAlias<Void>(rawValue: "item")).parameter("item", 7) }

    @Test
    func `an equal node has the same request, and a call of its own`() throws {
        let first = try resolve(item.timeout(.seconds(3)))
        let second = try resolve(item.timeout(.seconds(3)))
        #expect((first.isKnown, second.isKnown) == (false, true))
        #expect(first.request.url == second.request.url)
        #expect(first.request.headers == second.request.headers)
        #expect(first.request.call !== second.request.call)
        #expect(first.request.call.id < second.request.call.id)
        #expect(second.request.call.deadline == .seconds(8))
    }

    typealias Describe = @Sendable (RequestNode<Void>) -> RequestNode<Void>

    private static let others: [Describe] = [
        { $0.parameter("item", 8) }, { $0.parameter("item", "7") }, { $0.parameter("item", true) },
        { $0.query(["a": 1]) }, { $0.query(["a": 1, "b": 2]) }, { $0.query(["b": 2, "a": 1]) },
        { $0.query(["a": "1"]) },
        { $0.head() }, { $0.timeout(.seconds(1)) }, { $0.timeout(.seconds(2)) }, { $0.timeout(nil) }, { $0.cache() },
        { $0.cache(.elseNetwork()) }, { $0.cache(.http.storing(for: .seconds(1))) }, { $0.muted() },
        { $0.accepting([.ok]) }, { $0.accepting([.notFound]) }, { $0.priority(.high) }, { $0.sharingFlight() },
        { $0.sharingFlight(false) }, { $0.limits(body: 1_000) }, { $0.endpoint("/items/7") },
        { $0.endpoint("items/7") },
        { $0.server("store").endpoint("/items/7") }, { $0.url("https://api.example.com/v1/items/7") },
        { $0.serverAddress("api.example.com/v1").endpoint("/items/7") }, { $0.parameter("item", "\u{e9}") },
        { $0.parameter("item", "e\u{301}") }, { $0.query(["\u{e9}": 1]) }, { $0.query(["e\u{301}": 1]) },
        { $0.retry(2) }, { $0.retry(.standard) }, { $0.retry(policy { $0.backoff.first = .seconds(1) }) },
        { $0.retry(policy { $0.backoff.longest = .seconds(1) }) }, { $0.retry(policy { $0.backoff.multiplier = 3 }) },
        { $0.retry(policy { $0.backoff.jitter = 0 }) }, { $0.retry(policy { $0.retriesUnsafeWork = true }) },
        { $0.parameter("item", "a") }, { $0.parameter("item", "\0a") }, { $0.parameter("item", "\0\0a") },
        { $0.parameter("item", "1234567") }, { $0.parameter("item", "12345678") },
        { $0.parameter("item", "123456789") }, { $0.query(["a": "b", "c": "d"]) }, { $0.query(["a": "bc", "d": ""]) },
    ]

    private static func policy(_ change: (inout RetryPolicy) -> Void) -> RetryPolicy {
        var policy = RetryPolicy.standard
        change(&policy)
        return policy
    }

    @Test
    func `nodes that differ in anything have requests of their own`() throws {
        for _ in 0..<2 {
            var seen: [(RequestDescription, Int)] = []
            for (index, describe) in Self.others.enumerated() {
                // Placeholders that the path does not hold are errors.
                let node = index < 21 || index > 25 ? describe(item) : describe(manager.request(Void.self))
                let description = try #require(RequestDescription.of(node.specification), "\(index)")
                for (other, number) in seen {
                    #expect(!description.isEqual(to: other), "\(index) and \(number)")
                }
                seen.append((description, index))
                let again = try #require(RequestDescription.of(node.specification))
                #expect(again.isEqual(to: description))
                let known = try resolve(node)
                let fresh = try resolve(node.option(CallOptionKey<Int>("own"), 1))
                #expect(!fresh.isKnown)
                #expect(known.request.url == fresh.request.url, "\(index)")
                #expect(known.request.method == fresh.request.method)
                #expect(known.request.headers == fresh.request.headers)
                #expect(known.request.call.deadline == fresh.request.call.deadline)
                #expect(known.request.call.policy.acceptedStatuses == fresh.request.call.policy.acceptedStatuses)
            }
        }
    }

    private static let incomparable: [Describe] = [
        { $0.body(["a": 1]) }, { $0.values(["a": 1]) }, { $0.header(.accept, "a") }, { $0.bearer("secret") },
        { $0.query(["a": 0.5]) }, { $0.query(["a": [1]]) }, { $0.cachePartition("kim") }, { $0.dogma("raw") },
        { (node: RequestNode<Void>) in
            var node = node
            node.options = node.options.mapError { $0 }
            return node
        }, { $0.retry(policy { $0.isRetryable = { _ in true } }) },
        { $0.retry(policy { $0.backoff.multiplier = .nan }) }, { $0.option(CallOptionKey<Int>("own"), 1) },
        { $0.cache(.http.migrating { $0 }) },
        { $0.cache(.http.keyedByBody(ignoring: ["a"])) }, { $0.header("a b", "") },
    ]

    @Test(arguments: incomparable.indices)
    func `what cannot be compared is not remembered`(index: Int) {
        for _ in 0..<2 {
            let resolved = try? resolve(Self.incomparable[index](item))
            #expect(resolved?.isKnown != true)
        }
    }

    @Test
    func `any change of the registries is seen by the next call`() throws {
        struct Named: Dogma {
            let name: String
            var acceptedContentType: String? { name }
            func encode(_ model: some Encodable, for request: DogmaRequest) throws -> EncodedBody {
                EncodedBody(Data(), contentType: nil)
            }
            func decode<Model: Decodable>(_ type: Model.Type, from: RawResponse, for: DogmaRequest) throws -> Model {
                throw CancellationError()
            }
        }
        let changes: [@Sendable (RestClientManager) -> Void] = [
            { $0.servers["store"] = "https://other.example.com" },
            { $0.apis[APIAlias<Void>(rawValue: "item")] = API(.get, "/things/{item}") },
            { $0.options = $0.options.header(.userAgent, "a") },
            { $0.dogmas[.json] = Named(name: "application/a") },
            { $0.pathTemplates["/things/{item}"] = ["item": "x"] },
            {
                $0.servers["next"] = "https://next.example.com"
                $0.defaultServer = "next"
            },
        ]
        for change in changes {
            _ = try resolve(item)
            #expect(try resolve(item).isKnown)
            change(manager)
            let request = try resolve(item)
            #expect(!request.isKnown)
            #expect(try request.request.url == resolve(item.option(CallOptionKey<Int>("own"), 1)).request.url)
            #expect(
                try request.request.headers == resolve(item.option(CallOptionKey<Int>("own"), 1)).request.headers
            )
        }
        #expect(try resolve(item).request.url == "https://next.example.com/things/7")
    }

    @Test
    func `a dogma may ask for another media type at any time`() throws {
        final class Changing: Dogma {
            let accept = Mutex("application/a")
            var acceptedContentType: String? { accept.withLock { $0 } }
            func encode(_ model: some Encodable, for request: DogmaRequest) throws -> EncodedBody {
                EncodedBody(Data(), contentType: nil)
            }
            func decode<Model: Decodable>(_ type: Model.Type, from: RawResponse, for: DogmaRequest) throws -> Model {
                throw CancellationError()
            }
        }
        let dogma = Changing()
        manager.dogmas[.json] = dogma
        let number = manager.request(APIAlias<Int>(rawValue: "item")).parameter("item", 7)
        _ = try resolve(number)
        #expect(try resolve(number).request.headers[.accept] == "application/a")
        dogma.accept.withLock { $0 = "application/b" }
        #expect(try resolve(number).request.headers[.accept] == "application/b")
    }

    @Test
    func `errors are not remembered`() throws {
        for _ in 0..<2 {
            #expect(throws: RestClientError.self) { try resolve(manager.request(APIAlias<Void>(rawValue: "none"))) }
            #expect(throws: RestClientError.self) { try resolve(item.parameter("other", 1)) }
        }
        manager.apis[APIAlias<Void>(rawValue: "none")] = API(.get, "/none")
        #expect(try resolve(manager.request(APIAlias<Void>(rawValue: "none"))).request.url.hasSuffix("/none"))
    }

    @Test
    func `as many requests are remembered as the limit says, those that were used of late`() throws {
        for number in 0..<RequestMemo.limit {
            _ = try resolve(item.parameter("item", number))
            _ = try resolve(item.parameter("item", 0))
            #expect(try resolve(item.parameter("item", 0)).isKnown)
        }
        #expect(try resolve(item.parameter("item", RequestMemo.limit - 1)).isKnown)
        #expect(try !resolve(item.parameter("item", 1)).isKnown)
    }
}
