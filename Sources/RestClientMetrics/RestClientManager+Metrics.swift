// SPDX-License-Identifier: MIT

#if Metrics

public import CoreMetrics
import HTTPTypes
public import RestClient
import Synchronization

extension RestClientManager {
    /// Records metrics of all calls, until the returned observation is cancelled or released.
    ///
    /// Names and dimensions follow OpenTelemetry's semantic conventions for HTTP clients where these define them:
    ///
    /// | metric | kind | dimensions |
    /// |---|---|---|
    /// | `http.client.request.duration` | timer, one value for each attempt | `http.request.method`, `server.address`, `server.port`, `url.template`, `http.response.status_code`, `error.type` |
    /// | `http.client.active_requests` | meter, attempts on the wire | `http.request.method`, `server.address`, `server.port` |
    /// | `rest_client.calls` | counter, calls that ended | `outcome`: `succeeded` or a class of failures |
    /// | `rest_client.calls.queued` | counter, calls that waited for a worker slot | |
    /// | `rest_client.token_refreshes` | counter, access tokens that were refreshed | |
    /// | `rest_client.cache.lookups` | counter | `result`: `hit`, `stale` or `miss` |
    /// | `rest_client.retries` | counter | `decision`: `retried`, or the reason why not |
    ///
    /// - Parameter factory: The factory of the metrics. Defaults to the one that `MetricsSystem` was bootstrapped with.
    /// - Returns: The observation to keep.
    public func recordMetrics(to factory: any MetricsFactory = MetricsSystem.factory) -> ObservationToken {
        let recorder = MetricsRecorder(factory: factory)
        return observe { recorder.record($0) }
    }
}

/// Records metrics from events, which are delivered one at a time, but on any task.
final class MetricsRecorder: Sendable {
    private let factory: any MetricsFactory
    private let starts = Mutex<[CallID?: [Int: Duration]]>([:])

    init(factory: any MetricsFactory) {
        self.factory = factory
    }

    func record(_ event: ClientEvent) {
        switch event.kind {
        case .attemptStarted(let number):
            starts.withLock { $0[event.callID, default: [:]][number] = event.uptime }
            activeRequests(event).increment()
        case .attemptFinished(let number, let status):
            let code = "\(status.code)"
            let failure = status.code >= 400 ? [("error.type", code)] : []
            end(event, number, [("http.response.status_code", code)] + failure)
        case .attemptFailed(let number, let error):
            end(event, number, [("error.type", FailureClass.telemetryType(of: error))])
        case .callQueued:
            count("rest_client.calls.queued")
        case .tokenRefreshed:
            count("rest_client.token_refreshes")
        case .callSucceeded:
            count("rest_client.calls", ("outcome", "succeeded"))
            forget(event)
        case .callFailed, .callCancelled:
            count("rest_client.calls", ("outcome", event.failureClass?.rawValue ?? "failed"))
            forget(event)
        case .cacheHit:
            count("rest_client.cache.lookups", ("result", "hit"))
        case .cacheStale:
            count("rest_client.cache.lookups", ("result", "stale"))
        case .cacheMiss:
            count("rest_client.cache.lookups", ("result", "miss"))
        case .retryDecided:
            count("rest_client.retries", ("decision", "retried"))
        case .retrySuppressed(let reason, _):
            count("rest_client.retries", ("decision", reason.description))
        default:
            break
        }
    }

    /// Records an attempt whose start was observed; the duration of other attempts is unknown.
    private func end(_ event: ClientEvent, _ number: Int, _ outcome: [(String, String)]) {
        let start = starts.withLock { $0[event.callID]?.removeValue(forKey: number) }
        guard let start else {
            return
        }
        activeRequests(event).decrement()
        let template = event.request?.template.map { [("url.template", $0)] } ?? []
        let timer = Timer(
            label: "http.client.request.duration",
            dimensions: dimensions(of: event) + template + outcome,
            factory: factory
        )
        timer.recordNanoseconds(Int64(clamping: (event.uptime - start).attoseconds / 1_000_000_000))
    }

    /// Forgets the attempts of a call that has ended, so that nothing remains of one whose end was not observed.
    private func forget(_ event: ClientEvent) {
        let left = starts.withLock { $0.removeValue(forKey: event.callID) }
        for _ in left ?? [:] {
            activeRequests(event).decrement()
        }
    }

    private func activeRequests(_ event: ClientEvent) -> Meter {
        Meter(label: "http.client.active_requests", dimensions: dimensions(of: event), factory: factory)
    }

    private func count(_ label: String, _ dimensions: (String, String)...) {
        Counter(label: label, dimensions: dimensions, factory: factory).increment()
    }

    private func dimensions(of event: ClientEvent) -> [(String, String)] {
        var dimensions: [(String, String)] = []
        if let method = event.request?.method {
            dimensions.append(("http.request.method", method.telemetryName ?? HTTPRequest.Method.otherTelemetryName))
        }
        if let target = event.request?.url.flatMap(TelemetryTarget.init(url:)) {
            dimensions.append(("server.address", target.address))
            dimensions.append(("server.port", "\(target.port)"))
        }
        return dimensions
    }
}

#else

public import RestClient

extension RestClientManager {
    /// Says which trait the package lacks.
    @available(
        *,
        unavailable,
        message: "add the trait 'Metrics' to your dependency: .package(url: …, traits: [.defaults, \"Metrics\"])"
    )
    public func recordMetrics(to factory: Any? = nil) -> ObservationToken {
        observe { _ in }
    }
}

#endif
