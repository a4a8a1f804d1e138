// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClientTesting
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite
struct CodingStrategyTests {
    private struct Visit: Codable, Equatable, Sendable {
        var startedAt = Date(timeIntervalSince1970: 86_400)
        var placeName = "here"
    }

    private struct Refusal: Codable, Equatable, Sendable {
        var retryAt: Date
    }

    private static let day = DateStrategy.text {
        $0.formatted(.iso8601.year().month().day())
    } parse: {
        try? Date($0, strategy: .iso8601.year().month().day())
    }

    /// A client whose server returns each body as it came.
    private func client() -> StubbedClient {
        StubbedClient(StubTransport { .text($0.bodyText ?? "") })
    }

    private func echo(_ client: StubbedClient) -> RequestNode<Visit> {
        client.manager.request(Visit.self).post().endpoint("/echo").body(Visit())
    }

    @Test(arguments: [
        (DateStrategy.iso8601, #""1970-01-02T00:00:00Z""#), (.secondsSince1970, "86400"),
        (.millisecondsSince1970, "86400000"), (day, #""1970-01-02""#),
    ])
    func `dates have the format of the call in both directions`(strategy: DateStrategy, text: String) async throws {
        let client = client()
        #expect(try await echo(client).coding(dates: strategy).send() == Visit())
        #expect(client.requests.first?.bodyText == #"{"placeName":"here","startedAt":\#(text)}"#)
    }

    @Test
    func `each pair of strategies codes as Foundation does`() async throws {
        let dates: [(DateStrategy, JSONEncoder.DateEncodingStrategy)] = [
            (.iso8601, .iso8601), (.secondsSince1970, .secondsSince1970),
            (.millisecondsSince1970, .millisecondsSince1970), (Self.day, .custom { try "1970-01-02".encode(to: $1) }),
        ]
        let keys: [(KeyStrategy, JSONEncoder.KeyEncodingStrategy)] = [
            (.asDeclared, .useDefaultKeys), (.snakeCase, .convertToSnakeCase),
        ]
        for (date, foundationDate) in dates {
            for (key, foundationKey) in keys {
                let client = client()
                let encoder = JSONEncoder()
                encoder.outputFormatting = .sortedKeys
                encoder.dateEncodingStrategy = foundationDate
                encoder.keyEncodingStrategy = foundationKey
                let expected = String(decoding: try encoder.encode(Visit()), as: UTF8.self)

                #expect(try await echo(client).coding(keys: key, dates: date).send() == Visit(), "\(date) \(key)")
                #expect(client.requests.first?.bodyText == expected, "\(date) \(key)")
            }
        }
    }

    @Test
    func `the innermost level decides, and the dogma's own configuration comes last`() async throws {
        let client = client()
        let manager = client.manager
        manager.dogmas["own"] = JSONDogma { encoder in
            encoder.dateEncodingStrategy = .millisecondsSince1970
        } configureDecoder: { decoder in
            decoder.dateDecodingStrategy = .millisecondsSince1970
        }
        manager.options = manager.options.coding(keys: .snakeCase, dates: .iso8601).dogma("own")
        manager.apis[APIAlias<Visit>("echo")] = API(.post, "/echo").coding(dates: .secondsSince1970)
        let node = manager.request(APIAlias<Visit>("echo")).body(Visit())

        #expect(try await node.send() == Visit())
        #expect(try await node.coding(keys: .asDeclared).send() == Visit())
        #expect(
            client.requests.map(\.bodyText) == [
                #"{"place_name":"here","started_at":86400}"#, #"{"placeName":"here","startedAt":86400}"#,
            ]
        )
        manager.options = CallOptions()
        #expect(try await node.dogma("own").send() == Visit())
        #expect(client.requests.last?.bodyText == #"{"placeName":"here","startedAt":86400}"#)
    }

    @Test
    func `forms, queries, envelopes and the bodies of errors follow the call`() async throws {
        let client = StubbedClient(
            answering: .text(#"{"code":0,"data":{"started_at":86400,"place_name":"here"}}"#),
            .text(#"{"retry_at":60}"#, .tooManyRequests)
        )
        let manager = client.manager
        manager.dogmas["envelope"] = EnvelopeDogma()
        manager.options = manager.options.coding(keys: .snakeCase, dates: .secondsSince1970)

        let node = manager.request(Visit.self).endpoint("/a").query(Visit())
        #expect(try await node.dogma("envelope").send() == Visit())
        #expect(client.requests[0].url.hasSuffix("/a?place_name=here&started_at=86400"))
        let form = manager.request(Visit.self).post().endpoint("/a").dogma(.form).body(Visit())
        let error = await #expect(throws: RestClientError.self) { try await form.send() }
        #expect(client.requests[1].bodyText == "place_name=here&started_at=86400")
        #expect(error?.decodedBody(as: Refusal.self) == Refusal(retryAt: Date(timeIntervalSince1970: 60)))
    }

    @Test
    func `what is stored for a call comes back as it was`() async throws {
        let manager = client().manager
        let node = manager.request(Visit.self).endpoint("/a").coding(keys: .snakeCase)
            .coding(dates: .millisecondsSince1970)
        try await manager.cache.store(Visit(), for: node)
        #expect(try await node.cache(.cacheOnly()).send() == Visit())
    }

    @Test
    func `a dummy that responds with a model codes it as the call does`() async throws {
        let manager = client().manager
        let alias = APIAlias<Visit>("visit")
        manager.dogmas["envelope"] = EnvelopeDogma()
        manager.apis[alias] = API(.get, "/visit").coding(keys: .snakeCase, dates: .secondsSince1970)
        try await manager.withDummies(.strict, [Dummy(alias, responding: Visit())]) { () async throws in
            #expect(try await manager.request(alias).send() == Visit())
            #expect(try await manager.request(alias).coding(dates: Self.day).dogma("envelope").send() == Visit())
        }
    }

    @Test
    func `a text that is no date fails the call`() async {
        let client = StubbedClient(answering: .text(#"{"startedAt":"yesterday","placeName":"here"}"#))
        let error = await #expect(throws: RestClientError.self) {
            try await client.manager.request(Visit.self).endpoint("/a").coding(dates: Self.day).send()
        }
        #expect(error?.code == .decodingFailed)
    }

    @Test
    func `strategies of your own are equal to themselves only`() {
        let other = DateStrategy.text { _ in
            ""
        } parse: { _ in
            nil
        }
        #expect(Self.day == Self.day)
        #expect(Self.day != other)
        #expect(Set([Self.day, other, .iso8601, .iso8601]).count == 3)
    }
}
