// SPDX-License-Identifier: MIT

#if Tracing

public import RestClient
public import Tracing

extension RestClientManager {
    /// Makes spans of calls, attempts, groups and graphs, until the returned observation is cancelled or released.
    ///
    /// ```swift
    /// let tracing = manager.trace()
    /// ```
    ///
    /// | span | kind | named for | child of |
    /// |---|---|---|---|
    /// | group, chain, run of a graph | internal | the graph, or `group`, `chain` | its node, or the task's span |
    /// | node, element, compensation, local member | internal | the node or the job | its run, or its node |
    /// | call | internal | its API, or its method and template | its node, its group, or the task's span |
    /// | attempt on the wire | client | its method and template | its call |
    ///
    /// A span is the current one of the task (`ServiceContext.current`) while its work runs, so that spans of your own,
    /// in local work and interceptors, become its children. The tracer writes the context of an attempt, as in
    /// `traceparent`, into the header fields of its request; redirects belong to their attempt.
    ///
    /// Every call has a span, from its first event to its last one: also one that the cache or a dummy responds to, one
    /// that fails before it is sent, one that ends with its stream or its WebSocket, and one in the background. A call
    /// that shares the request of an equal one has no attempts: these belong to the call that began first. A
    /// node whose result a journal has is one with the outcome `resumed`; a node that does not begin has no span.
    ///
    /// Attributes have the names of OpenTelemetry's semantic conventions for HTTP clients where these define them, and
    /// begin with `rest_client.` otherwise. They contain no credentials, and of an error only its kind (`error.type`).
    ///
    /// What has begun before has no span. Of several tracers the last one makes the spans.
    ///
    /// - Parameter tracer: The tracer. Defaults to the one that `InstrumentationSystem` was bootstrapped with at the
    ///   time of each span.
    /// - Returns: The observation to keep.
    public func trace(with tracer: (any Tracer)? = nil) -> ObservationToken {
        attach(SpanTracer(own: tracer))
    }
}

#else

public import RestClient

extension RestClientManager {
    /// Says which trait the package lacks.
    @available(
        *,
        unavailable,
        message: "add the trait 'Tracing' to your dependency: .package(url: …, traits: [.defaults, \"Tracing\"])"
    )
    public func trace(with tracer: Any? = nil) -> ObservationToken {
        observe { _ in }
    }
}

#endif
