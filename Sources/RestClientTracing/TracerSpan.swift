// SPDX-License-Identifier: MIT

#if AsyncHTTPClient || Tracing

import HTTPTypes
import RestClient
import Synchronization
import Tracing

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

    func set(method: HTTPRequest.Method?) {
        guard let method else {
            return
        }
        set("http.request.method", method.telemetryName ?? HTTPRequest.Method.otherTelemetryName)
        if method.telemetryName == nil {
            set("http.request.method_original", method.rawValue)
        }
    }

    func set(server url: String?) {
        if let target = url.flatMap(TelemetryTarget.init(url:)) {
            set("server.address", target.address)
            set("server.port", target.port)
        }
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
