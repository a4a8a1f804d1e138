// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// The models in the data of server-sent events.
@Suite(.timeLimit(.minutes(5)))
struct EventValueTests {
    private struct Price: Codable, Sendable, Hashable {
        var lastBid: Int
    }

    /// Reads `name=number`, and wants to know nothing of media types.
    private struct PairDogma: Dogma {
        struct NotAPair: Error {}

        var acceptedContentType: String? { nil }

        func encode(_ model: some Encodable, for request: DogmaRequest) throws -> EncodedBody {
            throw NotAPair()
        }

        func decode<Model: Decodable>(
            _ type: Model.Type,
            from response: RawResponse,
            for request: DogmaRequest
        ) throws -> Model {
            let pair = String(decoding: response.body, as: UTF8.self).split(separator: "=")
            guard pair.count == 2, pair[0] == request.template, let number = Int(pair[1]),
                let model = Price(lastBid: number) as? Model, response.headers[.contentType] == nil
            else {
                throw NotAPair()
            }
            return model
        }
    }

    private struct Mapped: Error {}

    /// A client whose feed has these events, and then ends.
    private func client(_ events: [ServerSentEvent]) -> StubbedClient {
        let client = StubbedClient()
        client.manager.dummies.mode = .strict
        client.manager.dummies.register(.get, "/feed") { _ in .serverSentEvents(events) }
        return client
    }

    private func node(_ client: StubbedClient) -> RequestNode<Void> {
        client.manager.request(Void.self).endpoint("/feed")
    }

    @Test
    func `data is decoded with the dogma and the strategies of the call, and comes with its event`() async throws {
        let client = client([
            ServerSentEvent(data: #"{"last_bid": 1}"#, lastEventID: "a"),
            ServerSentEvent(type: "price", data: "{\n\"last_bid\": 2}", lastEventID: "b"),
        ])
        var values: [Int] = []
        var events: [ServerSentEvent] = []

        let feed = node(client).coding(keys: .snakeCase).serverSentEvents(of: Price.self, .once)
        for try await (event, price) in feed {
            values.append(price.lastBid)
            events.append(event)
        }

        #expect(values == [1, 2])
        #expect(events.map(\.type) == ["message", "price"])
        #expect(events.map(\.lastEventID) == ["a", "b"])
    }

    @Test
    func `the dogma of an API decodes its events, whatever the media type of the stream`() async throws {
        let client = client([ServerSentEvent(data: "/feed=3")])
        client.manager.dogmas["pairs"] = PairDogma()
        let feed: APIAlias<Void> = "feed"
        client.manager.apis[feed] = API(.get, "/feed").dogma("pairs")
        var values: [Price] = []

        for try await (_, price) in client.manager.request(feed).serverSentEvents(of: Price.self, .once) {
            values.append(price)
        }

        #expect(values == [Price(lastBid: 3)])
    }

    @Test
    func `events that are left out are not decoded`() async throws {
        let client = client([
            ServerSentEvent(type: "ping", data: "-"),
            ServerSentEvent(type: "price", data: #"{"lastBid": 1}"#),
            ServerSentEvent(type: "ping", data: ""),
        ])
        var values: [Int] = []

        let feed = node(client).serverSentEvents(of: Price.self, .once) { $0.type == "price" }
        for try await (_, price) in feed {
            values.append(price.lastBid)
        }

        #expect(values == [1])
    }

    @Test
    func `data that cannot be decoded fails the loop once, with the data, and without another request`() async throws {
        let client = client([ServerSentEvent(data: #"{"lastBid": 1}"#), ServerSentEvent(data: #"{"lastBid": "x"}"#)])
        var values: [Int] = []

        let error = await #expect(throws: RestClientError.self) {
            for try await (_, price) in node(client).serverSentEvents(of: Price.self) {
                values.append(price.lastBid)
            }
        }

        #expect(values == [1])
        #expect(error?.code == .decodingFailed)
        #expect(error?.response?.body == Data(#"{"lastBid": "x"}"#.utf8))
        #expect(error?.underlying is DecodingError)
        #expect(client.manager.dummies.calls.count == 1)
    }

    @Test
    func `an error mapper of the node sees the failure`() async throws {
        let client = client([ServerSentEvent(data: "?")])

        await #expect(throws: Mapped.self) {
            let node = node(client).mapResult { _ in throw Mapped() }
            for try await _ in node.serverSentEvents(of: Price.self, .once) {}
        }
    }

    @Test
    func `a loop over events decodes each as it likes, and survives a bad one`() async throws {
        let client = client([
            ServerSentEvent(type: "count", data: "4"), ServerSentEvent(type: "price", data: "?"),
            ServerSentEvent(type: "price", data: #"{"last_bid": 5}"#),
        ])
        var values: [String] = []

        for try await event in node(client).coding(keys: .snakeCase).serverSentEvents(.once) {
            switch event.type {
            case "count": values.append("count \(try event.decode(Int.self))")
            default: values.append((try? event.decode(Price.self)).map { "price \($0.lastBid)" } ?? "bad")
            }
        }

        #expect(values == ["count 4", "bad", "price 5"])
    }

    @Test
    func `an event without a call is decoded as JSON, and equals one that came from a call`() async throws {
        let event = ServerSentEvent(type: "price", data: #"{"lastBid": 6}"#, lastEventID: "c")
        var received: [ServerSentEvent] = []

        for try await event in node(client([event])).serverSentEvents(.once) {
            received.append(event)
        }

        #expect(try event.decode() == Price(lastBid: 6))
        #expect(received == [event])
        #expect(Set(received) == [event])
        #expect(received != [ServerSentEvent(type: "price", data: #"{"lastBid": 6}"#)])
    }
}
