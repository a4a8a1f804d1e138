// SPDX-License-Identifier: MIT

import JobGraphs
public import RestEssentials
public import SharedStore

extension RestClientManager {
    /// The parts of a manager that cannot change later: stores, pool, transport and clocks.
    ///
    /// The options that its manager begins with are set with the verbs of ``CallConfigurable``:
    ///
    /// ```swift
    /// let manager = RestClientManager(configuration: .init().timeout(.seconds(30)).interceptors(Signing()))
    /// ```
    public struct Configuration: CallConfigurable, Sendable {
        /// The options that the manager begins with; see ``RestClientManager/options``.
        public var options = CallOptions()

        /// The durability and the busy timeout of the shared data; their clock is ``now``.
        public var sharedData = SharedData.Configuration()

        /// The limits of the response cache.
        public var cache = ExpiringCache.Configuration()

        /// How long one process alone asks the server for a response that others miss too; `nil`, the default, lets
        /// each ask for itself.
        ///
        /// Processes that stand by at the same directory (``RestClientManager/persist(in:)``) then fetch a response
        /// once: the first takes a lease in the response cache, the others wait for what it stores, for this long at
        /// most, and go on by themselves when it takes longer or died. So choose a little more than the server usually
        /// needs; values below 100 milliseconds and above five minutes are brought to these. It costs each miss two
        /// small writes, and a response that must not be stored lets the processes ask one after the other. Only calls
        /// that may share a request take part: see ``CallConfigurable/sharingFlight(_:)``.
        public var cacheLease: Duration?

        /// How many requests and local jobs run at once; 64 by default, zero for any number.
        ///
        /// ``/JobGraphs/WorkerPool/size`` changes it later.
        public var workerCount: Int = 64

        /// How many requests may be on the wire to a server at once, for servers that bear less; none by default.
        ///
        /// ``/JobGraphs/WorkerPool/limits`` changes them later.
        public var workerLimits: [ServerAlias: Int] = [:]

        /// The transport that sends requests; ``AsyncHTTPClientTransport/shared`` by default.
        public var transport: (any Transport)?

        /// The clock that measures durations and waits; a `ContinuousClock` by default.
        public var clock: any Clock<Duration> = ContinuousClock()

        /// The time of day, from which the age of stored responses is computed.
        public var now: @Sendable () -> Date = { Date() }

        /// Creates the default configuration.
        public init() {}
    }
}
