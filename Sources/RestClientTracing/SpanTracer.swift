// SPDX-License-Identifier: MIT

#if Tracing

import HTTPTypes
import RestClient
import Synchronization
import Tracing

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
        span.set(request.method, url: request.url, template: request.template)
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

/// Sends each attempt within a span of the client kind, and propagates its context to the server.
struct AttemptSpans: Interceptor {
    let tracer: any Tracer

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let summary = request.call.summary
        let name = TelemetryNames.name(method: request.method, template: summary.template)
        let span = TracerSpan(tracer.startAnySpan(name, ofKind: .client))
        var request = request
        span.set(request.method, url: request.maskedURL, template: summary.template)
        let attempts = request.call.attempts
        span.set("http.request.resend_count", attempts > 1 ? attempts - 1 : nil)
        tracer.inject(span.context, into: &request.headers, using: HeaderFieldInjector())
        do {
            let outgoing = request
            let response = try await span.surround { try await next(outgoing) }
            span.set("http.response.status_code", response.status.code)
            if let version = response.httpVersion {
                span.set("network.protocol.version", String(version.rawValue.dropFirst("HTTP/".count)))
            }
            span.end(failure: response.status.code >= 400 ? "\(response.status.code)" : nil)
            return response
        } catch {
            span.end(failure: FailureClass.telemetryType(of: error))
            throw error
        }
    }
}

struct HeaderFieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into fields: inout HTTPFields) {
        // The names come from the tracer. One that HTTP forbids can only be omitted.
        if let name = HTTPField.Name(key) {
            fields[name] = value
        }
    }
}

/// The names of spans, by OpenTelemetry's semantic conventions for HTTP clients.
enum TelemetryNames {
    /// The URL would produce a separate name for each resource, and so would a method that is not well known.
    static func name(method: HTTPRequest.Method?, template: String?) -> String {
        ([method?.telemetryName ?? "HTTP"] + (template.map { [$0] } ?? [])).joined(separator: " ")
    }
}

/// A span of a tracer, which ends once.
final class TracerSpan: Sendable {
    private let span: any Span
    private let isEnded = Atomic<Bool>(false)

    init(_ span: any Span) {
        self.span = span
    }

    deinit {
        end(failure: "abandoned")
    }

    var context: ServiceContext { span.context }

    func surround<Value>(_ work: () async throws -> Value) async rethrows -> Value {
        try await ServiceContext.$current.withValue(span.context, operation: work)
    }

    /// Ends the span, once; `failure` is the value of `error.type`, or `nil` if there is no error.
    func end(failure: String?) {
        guard !isEnded.exchange(true, ordering: .acquiringAndReleasing) else {
            return
        }
        if let failure {
            span.attributes["error.type"] = failure
            span.setStatus(SpanStatus(code: .error))
        }
        span.end()
    }

    // MARK: - Attributes

    func set(_ name: String, _ value: String?) {
        if let value {
            span.attributes[name] = value
        }
    }

    func set(_ name: String, _ value: Int?) {
        if let value {
            span.attributes[name] = value
        }
    }

    func set(_ method: HTTPRequest.Method?, url: String?, template: String?) {
        let name = method?.telemetryName
        set("http.request.method", name ?? method.map { _ in HTTPRequest.Method.otherTelemetryName })
        set("http.request.method_original", name == nil ? method?.rawValue : nil)
        set("url.full", url)
        set("url.template", template)
        let target = url.flatMap(TelemetryTarget.init(url:))
        set("server.address", target?.address)
        set("server.port", target?.port)
    }
}

// MARK: - Calls and jobs

extension TracerSpan: TracedCall {
    func end(_ end: TracedEnd) {
        set("http.response.status_code", end.status?.code)
        set("rest_client.attempts", end.attempts)
        switch end.outcome {
        case .success(let source):
            set("rest_client.source", source.name)
            self.end(failure: nil)
        case .failure(let error):
            self.end(failure: FailureClass.telemetryType(of: error))
        }
    }
}

extension TracerSpan: JobSpan {
    func end(_ end: TracedWork.End) {
        set("rest_client.outcome", end.outcome)
        set("rest_client.attempts", end.attempts > 1 ? end.attempts : nil)
        self.end(failure: end.failure.map(FailureClass.telemetryType))
    }
}

#endif
