// SPDX-License-Identifier: MIT

import JobGraphs
public import RestEssentials
public import SharedStore

extension RestClientManager {
    /// The components of a manager that cannot be changed later: stores, pool, transport and clocks.
    ///
    /// Set the initial options of its manager with the methods of ``CallConfigurable``:
    ///
    /// ```swift
    /// let manager = RestClientManager(configuration: .init().timeout(.seconds(30)).interceptors(Signing()))
    /// ```
    public struct Configuration: CallConfigurable, Sendable {
        /// The initial options of the manager; see ``RestClientManager/options``.
        public var options = CallOptions()

        /// The durability and the busy timeout of the shared data; their clock is ``now``.
        public var sharedData = SharedData.Configuration()

        /// The limits of the response cache.
        public var cache = ExpiringCache.Configuration()

        /// An engine of your own that keeps the responses instead of memory or a file; none by default.
        ///
        /// ``RestClientManager/persist(in:)`` then creates no file for them, but `response-cache.key`: without it, each
        /// process finds only its own responses to requests with credentials. Processes that copy the file find each
        /// other's. A failure of the engine is an event, and never fails a call. Leases (``cacheLease``) need a
        /// directory, and no engine.
        public var cacheBackend: (any CacheBackend)?

        /// The time for which one process alone requests a response that others miss too; with `nil`, the default, each
        /// process sends its own request.
        ///
        /// Processes that use the same directory (``RestClientManager/persist(in:)``) then fetch a response once: the
        /// first one takes a lease in the response cache, and the others wait for the response that it stores. They
        /// wait for this time at most, and send their own requests if the first process takes longer or died. So choose
        /// slightly more than the usual response time; values below 100 milliseconds and above five minutes are clamped
        /// to these. It costs each miss two small writes, and with a response that must not be stored the processes
        /// send their requests one after the other. Only calls that may share a request take part: see
        /// ``CallConfigurable/sharingFlight(_:as:)``.
        public var cacheLease: Duration?

        /// The maximum number of requests and local jobs that run at once; 64 by default, zero for no limit.
        ///
        /// ``/JobGraphs/WorkerPool/size`` changes it later.
        public var workerCount: Int = 64

        /// The maximum number of concurrent requests to a server, for servers with limited capacity; no limits by
        /// default.
        ///
        /// ``/JobGraphs/WorkerPool/limits`` changes them later.
        public var workerLimits: [ServerAlias: Int] = [:]

        /// The transport that sends requests; ``DirectTransport/shared`` by default.
        public var transport: (any Transport)?

        /// The clock that measures durations and waits; a `ContinuousClock` by default.
        public var clock: any Clock<Duration> = ContinuousClock()

        /// The time of day, from which the age of stored responses is computed.
        public var now: @Sendable () -> Date = { Date() }

        /// Creates the default configuration.
        public init() {}
    }
}

extension ClientCore {
    convenience init(_ configuration: RestClientManager.Configuration, sharing registries: Registries?) {
        let limits = configuration.workerLimits.map { ($0.key.rawValue, $0.value) }
        self.init(
            registries: registries?.shared(options: configuration.options)
                ?? Registries(options: configuration.options),
            workers: (configuration.workerCount, Dictionary(uniqueKeysWithValues: limits)),
            cache: (
                configuration.cacheBackend.map { ExpiringCache(backend: $0, configuration: configuration.cache) }
                    ?? ExpiringCache(configuration: configuration.cache),
                configuration.cacheBackend == nil ? configuration.cacheLease.map(Self.usableLease) : nil
            ),
            transport: configuration.transport ?? DirectTransport.shared,
            clock: ClientClock(configuration.clock),
            now: configuration.now
        )
    }

    /// Returns a lease duration that is long enough for a response and short enough not to block others for long.
    static func usableLease(_ duration: Duration) -> Duration {
        min(max(duration, .milliseconds(100)), .seconds(300))
    }
}
