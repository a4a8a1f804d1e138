// SPDX-License-Identifier: MIT

extension RequestNode {
    /// Sends the call, and returns once the head of the response is there; its body is read as it comes.
    ///
    /// ```swift
    /// for try await line in try await manager.request(.log).stream().lines() { print(line) }
    /// ```
    ///
    /// Retries, redirects, tokens, the check of the status and error mappers work as ever, up to the head. The node's
    /// model and its callbacks are not used, nor are the cache and shared requests.
    ///
    /// The call's timeout is that for the head, and then for the longest pause between two chunks while somebody waits.
    /// The whole has no limit, unless a level sets ``CallConfigurable/responseLimit(_:)``. The worker slot is given
    /// back with the head, so that what is done with the chunks may send requests, and open streams block nobody. The
    /// call ends, with its last event, when the body does.
    ///
    /// - Returns: The response.
    /// - Throws: ``RestClientError``, an error of your own code, or `CancellationError` when the task is cancelled.
    @concurrent
    public func stream() async throws -> StreamedResponse {
        try await sender.open(specification, mapError: errorMapper)
    }

    /// Sends the call for server-sent events, again and again after an interruption, and delivers them as they come.
    ///
    /// ```swift
    /// for try await event in manager.request(.feed).serverSentEvents() {
    ///     print(event.type, event.data)
    /// }
    /// ```
    ///
    /// By the rules of the HTML standard: a stream that ends or is cut is requested again after a wait, with
    /// `Last-Event-ID`; a 204 ends it, and any other response fails it. Each iteration begins a stream of its own;
    /// ending it cancels the exchange.
    ///
    /// - Parameters:
    ///   - policy: How the stream goes on after an interruption.
    ///   - lastEventID: The event after which the stream begins; any by default.
    /// - Returns: The events.
    public func serverSentEvents(
        _ policy: EventStreamPolicy = EventStreamPolicy(),
        after lastEventID: String = ""
    ) -> some AsyncSequence<ServerSentEvent, any Error> & Sendable {
        EventStream(
            specification: specification,
            sender: sender,
            mapError: errorMapper,
            machine: EventStreamStateMachine(policy, lastEventID: lastEventID)
        )
    }

    /// Asks the node's handlers for the error to throw; a model that they make of one is of no use to a stream.
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
