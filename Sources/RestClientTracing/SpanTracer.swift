// SPDX-License-Identifier: MIT

#if AsyncHTTPClient || Tracing

import RestClient
import Tracing

/// Makes the spans of a manager with a tracer.
struct SpanTracer: Sendable {
    /// The tracer; `nil` for the one of the program.
    let own: (any Tracer)?

    private var tracer: any Tracer { own ?? InstrumentationSystem.tracer }

    private func start(_ name: String) -> TracerSpan {
        TracerSpan(tracer.startAnySpan(name, ofKind: .internal))
    }
}

extension SpanTracer: CallTracer {
    var attempts: any Interceptor { AttemptSpans(tracer: tracer) }

    func begin(_ id: CallID, _ groupID: GroupID?, _ request: RequestSummary) -> any TracedCall {
        let span = start(request.api ?? TelemetryNames.name(method: request.method, template: request.template))
        span.set(method: request.method)
        span.set("url.full", request.url)
        span.set("url.template", request.template)
        span.set(server: request.url)
        span.set("rest_client.call.id", "\(id)")
        span.set("rest_client.group.id", groupID.map { "\($0)" })
        span.set("rest_client.api", request.api)
        span.set("rest_client.server", request.server?.rawValue)
        span.set("rest_client.call.identifier", request.callIdentifier)
        return span
    }
}

extension SpanTracer: JobTracer {
    func begin(_ work: TracedWork) -> any JobSpan {
        let span = start(work.name)
        span.set("rest_client.group.id", "\(work.groupID)")
        switch work.kind {
        case .group(let count): describe("group", count: count, in: span)
        case .chain(let count): describe("chain", count: count, in: span)
        case .graph(let count): describe("graph", count: count, in: span)
        case .node(let kind):
            span.set("rest_client.job.kind", kind.rawValue)
        case .element(let kind, let index):
            span.set("rest_client.job.kind", kind.rawValue)
            span.set("rest_client.job.index", index)
        }
        return span
    }

    private func describe(_ kind: String, count: Int, in span: TracerSpan) {
        span.set("rest_client.run.kind", kind)
        span.set("rest_client.run.count", count)
    }
}

#endif
