// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// The server-sent events of a call.
struct EventStream: AsyncSequence, Sendable {
    typealias Element = ServerSentEvent
    typealias Failure = any Error

    private let source: EventSource

    init(_ source: EventSource) {
        self.source = source
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(loop: ReconnectingLoop(source))
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var loop: ReconnectingLoop<EventSource>

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> ServerSentEvent? {
            do throws(CallFailure) {
                return try await loop.next()
            } catch {
                throw error.error
            }
        }

        mutating func next() async throws -> ServerSentEvent? {
            try await next(isolation: #isolation)
        }
    }

    /// Returns the error to throw in place of one that ends the stream.
    func failure(_ error: any Error) async -> any Error {
        await source.failure(error).error
    }
}

/// The requests of a stream of server-sent events.
struct EventSource: ReconnectingSource, Sendable {
    var reconnection: ReconnectionStateMachine

    private let specification: RequestSpecification
    private let sender: any RequestSender
    private let mapError: ErrorRewrite?
    private var bytes: ByteStream.Iterator?
    private var parser = ServerSentEventParser()
    /// Decodes the data of the current response's events.
    private var reader: (any BodyReader)?
    /// True if the current response has delivered bytes.
    private var hasBytes = false

    private static let lastEventIDField = HTTPField.Name("Last-Event-ID")

    init(
        specification: RequestSpecification,
        sender: any RequestSender,
        mapError: ErrorRewrite?,
        reconnection: ReconnectionStateMachine
    ) {
        var specification = specification
        // The loop repeats requests itself.
        specification.options[.retry] = .never
        specification.mayPause = true
        specification.options[.headers, default: HeaderFields()].set(.accept, "text/event-stream")
        specification.options[.headers, default: HeaderFields()].set(.cacheControl, "no-store")
        self.specification = specification
        self.sender = sender
        self.mapError = mapError
        self.reconnection = reconnection
    }

    func beginSeries() -> CallSeries {
        sender.series(of: specification, StreamedResponse.self)
    }

    mutating func connect(in series: CallSeries) async throws -> ReconnectionStateMachine.Action {
        var specification = specification
        specification.series = series.shared
        if !reconnection.position.isEmpty, let field = Self.lastEventIDField {
            specification.options[.headers]?.fields[field] = reconnection.position
        }
        do throws(CallFailure) {
            let response = try await sender.open(specification)
            if response.mayHaveHadEffect {
                reconnection.hadEffect()
            }
            bytes = response.bytes.makeAsyncIterator()
            reader = response.reader
            parser = ServerSentEventParser(
                lastEventID: reconnection.position,
                limit: reconnection.policy.eventLimit
            )
            hasBytes = false
            return reconnection.responded(
                status: response.status.code,
                contentType: response.headers[.contentType],
                random: .random(in: 0...1)
            )
        } catch {
            let failure = error
            let error = failure.original
            if failure.mayHaveHadEffect {
                reconnection.hadEffect()
            }
            guard let error = error as? RestClientError, error.isOfStatus else {
                return interrupted(by: error)
            }
            let action = reconnection.responded(
                status: error.status?.code ?? 0,
                contentType: error.response?.headers[.contentType],
                random: .random(in: 0...1)
            )
            // The error of the call contains the response.
            guard case .fail = action else {
                return action
            }
            return .fail(error)
        }
    }

    mutating func read(_ action: inout ReconnectionStateMachine.Action) async throws -> ServerSentEvent? {
        do {
            // Delivered events count now that the consumer asks for more.
            countBytes()
            if var event = try parser.next() {
                event.reader = reader
                return event
            }
            // Blocks without data set the identifier and the wait, too, and no event comes after the last of them.
            countBytes()
        } catch {
            action = reconnection.failed(error)
            return nil
        }
        do {
            if let chunk = try await bytes?.next(isolation: #isolation) {
                hasBytes = true
                parser.receive(chunk)
            } else {
                bytes = nil
                action = reconnection.ended(nil, random: .random(in: 0...1))
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            bytes = nil
            action = interrupted(by: error)
        }
        return nil
    }

    private mutating func countBytes() {
        if hasBytes {
            reconnection.received(position: parser.lastEventID, reconnectionTime: parser.reconnectionTime)
        }
    }

    /// Continues after an interruption; any other error would only recur.
    ///
    /// It decides by the original error of the call, which no mapper has replaced.
    private mutating func interrupted(by error: any Error) -> ReconnectionStateMachine.Action {
        guard let known = error as? RestClientError, known.isInterruption else {
            return reconnection.failed(error)
        }
        return reconnection.ended(known, random: .random(in: 0...1))
    }

    func announce(_ delay: Duration, in series: CallSeries) {
        sender.announce(delay, because: reconnection.cause, in: series)
    }

    func failure(_ error: any Error) async -> CallFailure {
        await sender.failure(error, of: specification, mapError)
    }

    mutating func close(_ error: (any Error)?) {
        bytes = nil
    }
}

extension ServerSentEvent {
    /// Decodes the data with the dogma of the call from which the event came.
    ///
    /// ```swift
    /// for try await event in manager.request(.feed).serverSentEvents() {
    ///     switch event.type {
    ///     case "price": show(try event.decode(Price.self))
    ///     case "trade": record(try event.decode(Trade.self))
    ///     default: break
    ///     }
    /// }
    /// ```
    ///
    /// An event that did not come from a call is decoded as JSON. For events of a single type see
    /// ``RequestNode/serverSentEvents(of:_:after:where:)``.
    ///
    /// - Parameter type: The type of the model.
    /// - Returns: The model.
    /// - Throws: ``RestClientError`` with the code ``RestClientError/Code-swift.struct/decodingFailed``, whose response
    ///   has the data as its body.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws(RestClientError) -> Value {
        let response = RawResponse(body: Data(data.utf8))
        do {
            return try (reader ?? Self.plainReader).decode(Value.self, from: response)
        } catch {
            throw RestClientError(
                .decodingFailed,
                "could not decode \(Value.self) from the data of an event of \(response.body.count) bytes: "
                    + DecodingReason.describe(error),
                response: response,
                underlying: error
            )
        }
    }

    private static var plainReader: any BodyReader {
        ResolvedDogma(
            dogma: JSONDogma(),
            request: DogmaRequest(
                method: .get,
                api: nil,
                server: nil,
                template: "",
                keyStrategy: nil,
                dateStrategy: nil
            )
        )
    }
}
