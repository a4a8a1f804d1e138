// SPDX-License-Identifier: MIT

public import JobGraphs
public import RestEssentials
public import SharedStore
import Synchronization

/// Holds the aliases, dogmas, dummies and stores that calls share, and runs the calls.
///
/// ```swift
/// let manager = RestClientManager.shared
/// manager.servers[.store] = "https://api.example.com/v1"
/// manager.defaultServer = .store
/// manager.apis[.orders] = API(.get, "/users/{user}/orders", defaults: ["user": "me"])
///
/// let orders = try await manager.request(.orders).query(["page": 2]).send()
/// ```
///
/// Everything may be used from any task. Managers are independent of one another; they share only the connections of
/// the default transport.
public final class RestClientManager: Sendable {
    /// The manager that sends requests created without one.
    public static let shared = RestClientManager(configuration: sharedConfiguration.take())

    private static let sharedConfiguration = SharedConfiguration()

    /// Sets the configuration of ``shared``; call it at the start of a program, before ``shared`` is first used.
    ///
    /// Options, servers and APIs of the shared manager may change at any time, without this.
    ///
    /// - Parameter configuration: Options, stores, pool, transport and clocks.
    /// - Throws: ``RestClientError`` with the code ``RestClientError/Code-swift.struct/sharedManagerInUse`` if it is
    ///   already in use.
    public static func configureShared(_ configuration: Configuration) throws(RestClientError) {
        try sharedConfiguration.set(configuration)
    }

    let core: ClientCore
    let runner: CallRunner

    /// Values that the parts of a program share and, after ``persist(in:)`` was called, processes too.
    public let sharedData: SharedData

    private let standing = Mutex(Standing())
    private let notifications: NotificationPosting
    let cacheConfiguration: ExpiringCache.Configuration
    private let hasOwnCacheEngine: Bool

    private struct Standing {
        var directory: URL?
        var sharedDataObservation: ObservationToken?
    }

    /// Creates a manager whose stores are in memory until ``persist(in:)`` is called.
    ///
    /// - Parameter configuration: Limits, interceptors, transport and clocks.
    public convenience init(configuration: Configuration = Configuration()) {
        self.init(configuration: configuration, sharing: nil)
    }

    init(configuration: Configuration, sharing registries: Registries?) {
        core = ClientCore(configuration, sharing: registries)
        runner = CallRunner(core: core)
        cacheConfiguration = configuration.cache
        hasOwnCacheEngine = configuration.cacheBackend != nil
        var shared = configuration.sharedData
        shared.now = configuration.now
        sharedData = SharedData(configuration: shared)
        notifications = NotificationPosting(hub: core.hub)
        let hub = core.hub
        let observation = sharedData.observeAll { change in
            switch change.kind {
            case .updated: hub.emit(ClientEvent(.sharedDataUpdated(key: change.name)))
            case .removed: hub.emit(ClientEvent(.sharedDataRemoved(key: change.name)))
            }
        }
        standing.withLock { $0.sharedDataObservation = observation }
    }

    deinit {
        core.cache.background.close()
    }

    // MARK: - Registries

    /// The servers by alias.
    public var servers: Registry<ServerAlias, Server> { core.registries.servers }

    /// The API operations by alias.
    public var apis: APIRegistry { core.registries.apis }

    /// The default values of placeholders by path template; an API's own defaults win over them.
    ///
    /// ```swift
    /// manager.pathTemplates["/api/hello/$0"] = ["$0": "guest"]
    /// ```
    ///
    /// A leading slash of a template makes no difference.
    public var pathTemplates: Registry<PathTemplate, [String: JSONValue]> { core.registries.pathTemplates }

    /// The dogmas by name; ``DogmaAlias/json``, ``DogmaAlias/form`` and ``DogmaAlias/raw`` are registered by default.
    public var dogmas: Registry<DogmaAlias, any Dogma> { core.registries.dogmas }

    /// The pool that limits how many requests and local jobs run at once.
    public var workers: WorkerPool { core.workers }

    /// The server of requests without one; `nil` by default.
    public var defaultServer: ServerAlias? {
        get { core.registries.defaultServer }
        set { core.registries.defaultServer = newValue }
    }

    /// The options of every call; servers, APIs and calls may override them.
    ///
    /// They may be changed while calls run: a call uses the options at the time when it began.
    ///
    /// ```swift
    /// manager.options = manager.options.timeout(.seconds(30)).retry(.standard)
    /// ```
    ///
    /// If several tasks change them concurrently, use ``updateOptions(_:)``.
    public var options: CallOptions {
        get { core.registries.options }
        set { core.registries.options = newValue }
    }

    /// Changes the options of every call in one step, so that no change of another task is lost.
    ///
    /// ```swift
    /// manager.updateOptions { $0.timeout(.seconds(30)).header(.userAgent, "store-sync/2.1") }
    /// ```
    ///
    /// - Parameter change: Returns the new options for the current ones. It runs again if another task changed them
    ///   meanwhile.
    public func updateOptions(_ change: (CallOptions) -> CallOptions) {
        core.registries.updateOptions(change)
    }

    /// The dogma of requests without one; ``DogmaAlias/json`` by default.
    public var defaultDogma: DogmaAlias {
        get { options[.dogma] ?? .json }
        set { updateOptions { $0.dogma(newValue) } }
    }

    // MARK: - Stores

    /// The directory of the stores; `nil` while they are in memory.
    public var directory: URL? {
        standing.withLock { $0.directory }
    }

    /// Moves the stores into a directory, where they outlive the process.
    ///
    /// The directory is created if it does not exist (readable by its owner only). It then contains
    /// `shared-data.sqlite`, `response-cache.sqlite` unless the cache has an engine of your own, `response-cache.key`,
    /// without which no credential in the cache can be read, `journal.sqlite` once a run uses a journal, and
    /// `rate-limits.sqlite` once a rate limit is shared. Shared values that were set before are written to the file,
    /// unless they would replace one that their keys cannot open; responses that were cached before are dropped.
    /// Several processes may use the same directory.
    ///
    /// Calling it again with the same directory does nothing.
    ///
    /// - Parameter directory: The directory of the stores.
    /// - Throws: `StoreError` when the directory cannot be created or is a file, when the shared data are not readable
    ///   as a database or of a newer version, when a shared value would replace one that its key cannot open (see
    ///   ``/SharedStore/SharedData/attach(file:)``), or when the manager already uses another directory. The manager
    ///   then continues as before. A damaged response cache is set aside and replaced by an empty one.
    public func persist(in directory: URL) throws(StoreError) {
        let directory = directory.standardizedFileURL
        if let current = self.directory, current.path == directory.path {
            return
        }
        let sharedDataFile = directory.appendingPathComponent("shared-data.sqlite")
        let cacheFile = directory.appendingPathComponent("response-cache.sqlite")
        let cache =
            hasOwnCacheEngine
            ? core.cache.responses.place.storage
            : try ExpiringCache(file: cacheFile, configuration: cacheConfiguration)
        let secret = try CacheSecret.kept(in: directory)
        try sharedData.attach(file: sharedDataFile)
        core.cache.responses.move(to: ResponseCache.Place(storage: cache, secret: secret, directory: directory))
        core.jobs.persist(in: directory)
        core.guards.ledger.use(directory)
        standing.withLock { $0.directory = directory }
    }

    // MARK: - NotificationCenter

    /// The center to which events are posted as ``ClientEventMessage``, with the manager as their subject; with `nil`,
    /// the default, none are posted.
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    public var notificationCenter: NotificationCenter? {
        get { notifications.center }
        set { notifications.post(to: newValue, on: self) }
    }
}

final class NotificationPosting: Sendable {
    private struct State {
        var center: NotificationCenter?
        var observation: ObservationToken?
    }

    private let hub: EventHub
    private let state = Mutex(State())

    init(hub: EventHub) {
        self.hub = hub
    }

    var center: NotificationCenter? {
        state.withLock { $0.center }
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    func post(to center: NotificationCenter?, on manager: RestClientManager) {
        let observation = center.map { center in
            hub.observe { [weak manager] event in
                if let manager {
                    center.post(ClientEventMessage(event: event), subject: manager)
                }
            }
        }
        let previous = state.withLock { state in
            defer { state = State(center: center, observation: observation) }
            return state.observation
        }
        previous?.cancel()
    }
}

final class SharedConfiguration: Sendable {
    private enum State {
        case unset
        case set(RestClientManager.Configuration)
        case taken
    }

    private let state = Mutex(State.unset)

    func set(_ configuration: RestClientManager.Configuration) throws(RestClientError) {
        let isTaken = state.withLock { state in
            if case .taken = state {
                return true
            }
            state = .set(configuration)
            return false
        }
        if isTaken {
            throw RestClientError(
                .sharedManagerInUse,
                "RestClientManager.shared is already in use; configure it earlier, or create a manager of your own"
            )
        }
    }

    func take() -> RestClientManager.Configuration {
        state.withLock { state in
            defer { state = .taken }
            if case .set(let configuration) = state {
                return configuration
            }
            return RestClientManager.Configuration()
        }
    }
}

extension RestClientManager {
    /// The guards of the servers: rates, circuit breakers and numbers of calls, to look at and to isolate servers.
    public var guards: ServerGuards { core.guards.inside(core.isolation) }

    /// Returns the probe of a server, which is the same for each call of this method.
    ///
    /// - Parameter server: The alias of the server, which may be registered later.
    /// - Returns: The probe. It sends nothing until one of its members is used.
    public func reachability(of server: ServerAlias) -> ReachabilityProbe {
        core.probes.inside(core.isolation)[server]
    }

    /// Makes a manager that shares the registries of this one: servers, API operations, path templates and dogmas.
    ///
    /// ```swift
    /// let background = manager.clone(.init().timeout(.seconds(600)).priority(.low))
    /// manager.servers[.store] = "https://api.example.com/v2"      // holds for both
    /// ```
    ///
    /// Each finds with its next call what the other one registers. Everything else is the clone's own: options,
    /// default server and environments (which begin as copies), stores, workers, dummies, events and running calls.
    /// Options of the configuration go before those that this manager has now.
    ///
    /// - Parameter configuration: The configuration of the clone; the defaults by default.
    /// - Returns: The clone.
    public func clone(_ configuration: Configuration = Configuration()) -> RestClientManager {
        var configuration = configuration
        configuration.options = options.overlaid(with: configuration.options)
        return RestClientManager(configuration: configuration, sharing: core.registries)
    }

    /// Runs an operation, and reports the progress of all calls that are sent in it as a sum: those of a group, of a
    /// graph, or any others.
    ///
    /// ```swift
    /// let line = ProgressLine("photos")
    /// try await manager.withProgress(of: .sent, line.show) { try await manager.run(uploads) }
    /// line.finish()
    /// ```
    ///
    /// The total is that of the calls which have begun, and grows with each further one; it is not known while that of
    /// one of them is not. Another attempt of a call begins again from zero. The handler is called a few times a
    /// second, one report at a time, and a last time when the operation has ended. The scope belongs to the task and is
    /// inherited by the tasks that it starts.
    ///
    /// - Parameters:
    ///   - direction: The bodies that count; those of requests and of responses by default.
    ///   - handler: Takes the sum.
    ///   - isolation: The actor to run on; the caller's by default.
    ///   - operation: The operation.
    /// - Returns: The operation's result.
    /// - Throws: The operation's error.
    public func withProgress<Result>(
        of direction: CallProgress.Direction? = nil,
        _ handler: @escaping @Sendable (TransferProgress) -> Void,
        isolation: isolated (any Actor)? = #isolation,
        operation: () async throws -> Result
    ) async rethrows -> Result {
        let scope = ProgressScope(clock: core.clock, direction, handler)
        defer { scope.finish() }
        return try await ProgressScope.scopes.open(scope, isolation: isolation, operation: operation)
    }

    package var taps: ExchangeTaps { core.taps }

    package func limited(_ request: TransportRequest) -> TransportRequest {
        let options = core.snapshot.options
        var request = request
        request.timeout = options[.timeout] ?? .seconds(60)
        request.responseLimit = options[.responseLimit] ?? CallOptions.defaultResponseLimit
        return request
    }

    /// Sends a request without the pipeline, to a server with one of the keys that the manager and the server to which
    /// the URL belongs pin; fails if the transport does not check them.
    package func sendDirectly(_ request: TransportRequest) async throws -> RawResponse {
        var target = RequestTarget()
        target.setURL(request.url)
        let snapshot = core.snapshot
        let resolved = try TargetResolver.resolve(target, in: snapshot)
        let options = snapshot.options(for: resolved)
        var request = request
        request.hasOwnOrigin = resolved.server != nil
        request.pinKeys(by: options[.pinnedKeys], ownURL: request.url)
        request.setWay(by: options, hasOwnOrigin: request.hasOwnOrigin, asksEnvironment: true)
        try request.check(over: core.transport)
        return try await core.transport.send(request)
    }

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

    /// Stores responses and journals on an engine from now on, for simulations of a disk; the secret has 32 bytes.
    package func persist(on engine: any Backing, secret: Data) {
        let cache = ExpiringCache(backing: engine, configuration: cacheConfiguration)
        core.cache.responses.move(to: ResponseCache.Place(storage: cache, secret: CacheSecret(bytes: secret)))
        core.jobs.persist(on: engine)
    }
}

extension RestClientManager: JobRunner {
    /// The runtime that runs the manager's jobs, groups and graphs.
    public var jobHost: JobHost { JobHost(core.jobs, owner: self) }
}

extension JobContext {
    /// The manager that runs the job; ``RestClientManager/shared`` if a runtime without a manager does.
    public var manager: RestClientManager { host.owner as? RestClientManager ?? .shared }
}
