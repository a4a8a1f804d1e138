// SPDX-License-Identifier: MIT

import HTTPTypes

/// The server-sent events of a call.
struct EventStream: AsyncSequence, Sendable {
    typealias Element = ServerSentEvent
    typealias Failure = any Error

    private let specification: RequestSpecification
    private let sender: any CallSender
    private let mapError: ErrorRewrite?
    private let machine: EventStreamStateMachine

    init(
        specification: RequestSpecification,
        sender: any CallSender,
        mapError: ErrorRewrite?,
        machine: EventStreamStateMachine
    ) {
        var specification = specification
        // The state machine repeats requests itself.
        specification.options[.retry] = .never
        specification.mayPause = true
        var headers = specification.options[.headers] ?? HeaderFields()
        headers.set(.accept, "text/event-stream")
        headers.set(.cacheControl, "no-store")
        specification.options[.headers] = headers
        self.specification = specification
        self.sender = sender
        self.mapError = mapError
        self.machine = machine
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(specification: specification, sender: sender, mapError: mapError, machine: machine)
    }

    /// Performs the actions of the state machine whenever the next event is requested.
    struct Iterator: AsyncIteratorProtocol {
        fileprivate var specification: RequestSpecification
        fileprivate let sender: any CallSender
        fileprivate let mapError: ErrorRewrite?
        fileprivate var machine: EventStreamStateMachine
        fileprivate var bytes: ByteStream.Iterator?
        fileprivate var parser = ServerSentEventParser()
        /// Decodes the data of the current response's events.
        fileprivate var reader: (any BodyReader)?
        /// True if the response has delivered bytes.
        fileprivate var hasBytes = false
        /// The requests, from the first one to the end of the stream.
        fileprivate var series: CallSeries?

        private static let lastEventIDField = HTTPField.Name("Last-Event-ID")

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> ServerSentEvent? {
            do {
                let event = try await advance(isolation: actor)
                if event == nil {
                    end(.complete)
                }
                return event
            } catch {
                end(.failed(error))
                throw CallFailure(error).error
            }
        }

        private mutating func end(_ end: StreamEnd) {
            bytes = nil
            series?.end(end)
        }

        private mutating func advance(isolation actor: isolated (any Actor)?) async throws -> ServerSentEvent? {
            var action = machine.start()
            while true {
                try Task.checkCancellation()
                switch action {
                case .none:
                    if let event = try await read(isolation: actor, &action) {
                        return event
                    }
                case .connect(let lastEventID):
                    try beginPart()
                    action = await connect(after: lastEventID)
                case .read(let lastEventID):
                    parser = ServerSentEventParser(lastEventID: lastEventID, limit: machine.eventLimit)
                    hasBytes = false
                    action = .none
                case .wait(let delay):
                    if let series, let error = machine.interruption {
                        try await sender.pause(series, for: delay, because: error)
                    }
                    action = machine.waited()
                case .finish:
                    return nil
                case .fail(let error):
                    throw await failure(error)
                }
            }
        }

        /// Returns the failure that ends the stream with an error.
        func failure(_ error: any Error) async -> CallFailure {
            await sender.failure(error, of: specification, mapError)
        }

        mutating func next() async throws -> ServerSentEvent? {
            try await next(isolation: #isolation)
        }

        /// Returns the next event of the response; if there is none, sets the next action.
        private mutating func read(
            isolation actor: isolated (any Actor)?,
            _ action: inout EventStreamStateMachine.Action
        ) async throws -> ServerSentEvent? {
            guard bytes != nil else {
                // The stream has ended, and is requested again.
                action = .finish
                return nil
            }
            do {
                // Delivered events count now that the consumer asks for more.
                if hasBytes {
                    machine.received(lastEventID: parser.lastEventID, reconnectionTime: parser.reconnectionTime)
                }
                if var event = try parser.next() {
                    event.reader = reader
                    return event
                }
                // Blocks without data set the identifier and the wait, too, and no event comes after the last of them.
                if hasBytes {
                    machine.received(lastEventID: parser.lastEventID, reconnectionTime: parser.reconnectionTime)
                }
            } catch {
                action = machine.failed(error)
                return nil
            }
            do {
                if let chunk = try await bytes?.next(isolation: actor) {
                    hasBytes = true
                    parser.receive(chunk)
                } else {
                    bytes = nil
                    action = machine.ended(nil, random: .random(in: 0...1))
                }
            } catch let error as CancellationError {
                throw error
            } catch {
                bytes = nil
                action = interrupted(by: error)
            }
            return nil
        }

        /// Begins the series with its first request.
        ///
        /// - Throws: `CancellationError` if it has been cancelled.
        private mutating func beginPart() throws {
            let series = series ?? sender.series(of: specification, StreamedResponse.self)
            try series.checkCancellation()
            specification.series = series.shared
            self.series = series
        }

        /// Sends the request.
        private mutating func connect(after lastEventID: String) async -> EventStreamStateMachine.Action {
            var specification = specification
            if !lastEventID.isEmpty, let field = Self.lastEventIDField {
                specification.options[.headers]?.fields[field] = lastEventID
            }
            do throws(CallFailure) {
                let response = try await sender.open(specification)
                if response.mayHaveHadEffect {
                    machine.hadEffect()
                }
                bytes = response.bytes.makeAsyncIterator()
                reader = response.reader
                return machine.responded(
                    status: response.status.code,
                    contentType: response.headers[.contentType],
                    random: .random(in: 0...1)
                )
            } catch {
                let failure = error
                let error = failure.original
                if failure.mayHaveHadEffect {
                    machine.hadEffect()
                }
                guard let error = error as? RestClientError, error.code == .unacceptableStatus else {
                    return interrupted(by: error)
                }
                let action = machine.responded(
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

        /// Continues after an interruption; any other error would only recur.
        ///
        /// It decides by the original error of the call, which no mapper has replaced.
        private mutating func interrupted(by error: any Error) -> EventStreamStateMachine.Action {
            guard let known = error as? RestClientError, known.isInterruption else {
                return machine.failed(error)
            }
            return machine.ended(known, random: .random(in: 0...1))
        }
    }
}
