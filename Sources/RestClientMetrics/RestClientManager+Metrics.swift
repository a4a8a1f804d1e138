// SPDX-License-Identifier: MIT

#if Metrics

public import CoreMetrics
public import RestClient

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
        return observe(MetricsRecorder.filter) { recorder.record($0) }
    }
}

#endif
