// SPDX-License-Identifier: MIT

package import JobGraphs
import RestEssentials
package import SharedStore

extension RestClientManager {
    /// Makes spans of calls, attempts, groups and graphs, until the returned observation is cancelled or released.
    ///
    /// What has begun before has no span. Of several tracers the one that was attached last makes the spans.
    package func attach(_ tracer: some CallTracer & JobTracer) -> ObservationToken {
        let (calls, jobs) = (core.tracing, core.jobs.tracing)
        let (call, job) = (calls.attach(tracer), jobs.attach(tracer))
        return ObservationToken {
            calls.detach(call)
            jobs.detach(job)
        }
    }
}
