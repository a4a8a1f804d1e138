// SPDX-License-Identifier: MIT

/// Measures the bodies of each exchange of a call whose progress is followed.
///
/// It stands directly before the dummies and the wire, so that each attempt and each redirect begins from zero.
struct ProgressStage: Interceptor {
    let hub: EventHub
    let clock: ClientClock

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let call = request.call
        let sinks = call.options[.progress] ?? ProgressSinks()
        let emit = sinks.isOpen ? hub.progressEvents(of: call) : nil
        guard !sinks.isEmpty || emit != nil else {
            return try await next(request)
        }
        let reporter = ProgressReporter(of: call.id, to: sinks, clock, emit: emit)
        var measured = request
        measured.progress = reporter
        measured.body = request.body.map(reporter.measured)
        do {
            let response = try await next(measured)
            reporter.respond()
            guard response.stream == nil else {
                return reporter.measured(response)
            }
            reporter.receive(whole: response.body.count)
            reporter.end()
            return response
        } catch {
            reporter.end()
            throw error
        }
    }
}

extension CallConfigurable {
    /// Makes the progress of calls an event, ``ClientEvent/Kind-swift.enum/progressed(_:)``; it is none by default.
    ///
    /// The bodies of such calls are measured while there is an observer, which takes a little time for each chunk. To
    /// follow one call, use ``RequestNode/onProgress(of:_:)``; to follow many as a sum,
    /// ``RestClientManager/withProgress(of:_:isolation:operation:)``.
    ///
    /// - Parameter isEnabled: Pass `false` to take back what an outer level says.
    /// - Returns: A changed copy.
    public consuming func progressEvents(_ isEnabled: Bool = true) -> Self {
        options[.progressEvents] = isEnabled
        return self
    }
}
