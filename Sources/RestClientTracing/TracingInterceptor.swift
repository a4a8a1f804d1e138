// SPDX-License-Identifier: MIT

import HTTPTypes
public import RestClient
public import Tracing

/// An interceptor that records a span for each attempt, and propagates its context to the server.
///
/// ```swift
/// manager.options = manager.options.attemptInterceptors(TracingInterceptor())
/// ```
///
/// The span is a child of the task's current one, and named and described by OpenTelemetry's semantic conventions for
/// HTTP clients: `GET /users/{user}` with `http.request.method`, `server.address`, `url.full` (secrets masked),
/// `url.template`, `http.response.status_code`, `http.request.resend_count`, `network.protocol.version` and
/// `error.type`. The tracer writes its header fields, such as `traceparent`, into the request. Redirects belong to the
/// span of their attempt.
///
/// Responses from the cache are not attempts, and have no span.
public struct TracingInterceptor: Interceptor {
    private let tracer: (any Tracer)?

    /// Creates an interceptor.
    ///
    /// - Parameter tracer: The tracer. Defaults to the one that `InstrumentationSystem` was bootstrapped with at the
    ///   time of each attempt.
    public init(tracer: (any Tracer)? = nil) {
        self.tracer = tracer
    }

    /// Passes the request on within a span.
    public func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let tracer = tracer ?? InstrumentationSystem.tracer
        let span = tracer.startAnySpan(Self.name(of: request), ofKind: .client)
        defer { span.end() }
        var request = request
        Self.describe(request, in: span)
        tracer.inject(span.context, into: &request.headers, using: HeaderFieldInjector())
        do {
            let outgoing = request
            let response = try await InstrumentationContext.withValue(span.context) { try await next(outgoing) }
            span.attributes["http.response.status_code"] = response.status.code
            if let version = response.httpVersion {
                span.attributes["network.protocol.version"] = String(version.rawValue.dropFirst("HTTP/".count))
            }
            if response.status.code >= 400 {
                fail(span, "\(response.status.code)")
            }
            return response
        } catch {
            fail(span, FailureClass.telemetryType(of: error))
            throw error
        }
    }

    private func fail(_ span: any Span, _ type: String) {
        span.attributes["error.type"] = type
        span.setStatus(SpanStatus(code: .error))
    }

    /// Returns the method and the template, if there is one.
    ///
    /// The URL would produce a separate name for each resource.
    private static func name(of request: OutgoingRequest) -> String {
        let template = request.call.summary.template
        let method = request.method.telemetryName
        return ([method ?? "HTTP"] + (template.map { [$0] } ?? [])).joined(separator: " ")
    }

    private static func describe(_ request: OutgoingRequest, in span: any Span) {
        let call = request.call
        span.updateAttributes { attributes in
            let method = request.method.telemetryName
            attributes["http.request.method"] = method ?? HTTPRequest.Method.otherTelemetryName
            if method == nil {
                attributes["http.request.method_original"] = request.method.rawValue
            }
            attributes["url.full"] = request.maskedURL
            if let template = call.summary.template {
                attributes["url.template"] = template
            }
            if let target = TelemetryTarget(url: request.url) {
                attributes["server.address"] = target.address
                attributes["server.port"] = target.port
            }
            if call.attempts > 1 {
                attributes["http.request.resend_count"] = call.attempts - 1
            }
        }
    }
}
