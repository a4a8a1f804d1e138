// SPDX-License-Identifier: MIT

extension RequestNode {
    /// Sends the call, and returns when the head of the response has arrived; its body is read as it arrives.
    ///
    /// ```swift
    /// for try await line in try await manager.request(.log).stream().lines() { print(line) }
    /// ```
    ///
    /// Retries, redirects, tokens, the check of the status and error mappers work as usual, up to the head. The node's
    /// model is not used, nor are the cache and shared requests.
    ///
    /// The node's handlers for the start, the progress and the failure are called. A failure may come with the body:
    /// its handler has returned before the reader gets the error. A reader that stops cancels the call
    /// (``onError(of:_:)``). The handlers for responses are not called, because no model is decoded.
    ///
    /// The call's timeout applies to the head, and then to the longest pause between two chunks while a reader waits.
    /// The whole body has no limit, unless a level sets the one of the body
    /// (``CallConfigurable/limits(body:decompression:headerFields:headerBytes:)``). The worker slot is
    /// released with the head, so that processing the chunks may send requests, and open streams block no other work.
    /// The call ends, with its last event, when the body does.
    ///
    /// - Returns: The response.
    /// - Throws: ``RestClientError``, an error of your own code, or `CancellationError` when the task is cancelled.
    @concurrent
    public func stream() async throws -> StreamedResponse {
        try await sender.stream(self)
    }

    /// Sends the call for server-sent events, repeats it after interruptions, and delivers the events as they arrive.
    ///
    /// ```swift
    /// for try await event in manager.request(.feed).serverSentEvents() {
    ///     print(event.type, event.data)
    /// }
    /// ```
    ///
    /// It follows the HTML standard: a stream that ends or is interrupted is requested again after a wait, with
    /// `Last-Event-ID`; a 204 ends it, and any other response fails it. Each iteration begins a new stream;
    /// ending it cancels the exchange. An unsafe request, such as a POST whose response is written as it is generated,
    /// is not sent again once it may have had an effect; see ``EventStreamPolicy/retriesUnsafeRequests``.
    ///
    /// The node's handlers are not called: the loop makes any number of calls, and sees the events and the failure.
    ///
    /// - Parameters:
    ///   - policy: The way in which the stream continues after an interruption.
    ///   - lastEventID: The event after which the stream begins; none by default.
    /// - Returns: The events.
    public func serverSentEvents(
        _ policy: EventStreamPolicy = EventStreamPolicy(),
        after lastEventID: String = ""
    ) -> some AsyncSequence<ServerSentEvent, any Error> & Sendable {
        events(policy, after: lastEventID)
    }

    /// Sends the call for server-sent events, as ``serverSentEvents(_:after:)`` does, and decodes the data of each with
    /// the call's dogma.
    ///
    /// ```swift
    /// let prices = manager.request(.feed).serverSentEvents(of: Price.self) { $0.type == "price" }
    /// for try await (event, price) in prices {
    ///     print(event.lastEventID, price)
    /// }
    /// ```
    ///
    /// Data that cannot be decoded fails the iteration with
    /// ``RestClientError/Code-swift.struct/decodingFailed``, and is not requested again. To decode events of several
    /// types, or to go on after such a failure, use ``ServerSentEvent/decode(_:)``.
    ///
    /// - Parameters:
    ///   - type: The type of the models.
    ///   - policy: The way in which the stream continues after an interruption.
    ///   - lastEventID: The event after which the stream begins; none by default.
    ///   - isIncluded: Returns true for the events to decode, such as those of one type; the others are skipped. All by
    ///     default.
    /// - Returns: The events with their models.
    public func serverSentEvents<Value: Decodable & Sendable>(
        of type: Value.Type,
        _ policy: EventStreamPolicy = EventStreamPolicy(),
        after lastEventID: String = "",
        where isIncluded: @escaping @Sendable (ServerSentEvent) -> Bool = { _ in true }
    ) -> some AsyncSequence<(event: ServerSentEvent, value: Value), any Error> & Sendable {
        let events = events(policy, after: lastEventID)
        return events.filter(isIncluded)
            .map { event in
                do {
                    return (event: event, value: try event.decode(Value.self))
                } catch {
                    throw await events.failure(error)
                }
            }
    }

    private func events(_ policy: EventStreamPolicy, after lastEventID: String) -> EventStream {
        EventStream(
            EventSource(
                specification: specification,
                sender: sender,
                mapError: errorMapper,
                reconnection: ReconnectionStateMachine(policy, position: lastEventID)
            )
        )
    }

    /// Calls the node's handlers for the error to throw; a stream cannot use a model that they return instead.
    var errorMapper: ErrorRewrite? {
        guard !handlers.rewrites.isEmpty else {
            return nil
        }
        return { [handlers] error in
            var error = error
            for rewrite in handlers.rewrites where !(error is CancellationError) {
                do {
                    _ = try await rewrite(.failure(error))
                } catch let mapped {
                    error = mapped
                }
            }
            return error
        }
    }
}
