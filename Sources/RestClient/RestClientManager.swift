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
/// Everything may be used from any task. Instances are independent of one another; they share only the default
/// transport's connections.
public final class RestClientManager: Sendable {
    /// The manager that sends requests made without one.
    public static let shared = RestClientManager(configuration: sharedConfiguration.take())

    private static let sharedConfiguration = SharedConfiguration()

    /// Sets what ``shared`` is made with; call it at the start of a program, before ``shared`` is first used.
    ///
    /// Options, servers and APIs of the shared manager may change at any time, without this.
    ///
    /// - Parameter configuration: Options, stores, pool, transport and clocks.
    /// - Throws: ``RestClientError`` with the code ``RestClientError/Code-swift.struct/sharedManagerInUse`` when it is
    ///   in use already.
    public static func configureShared(_ configuration: Configuration) throws(RestClientError) {
        try sharedConfiguration.set(configuration)
    }

    let core: ClientCore
    let runner: CallRunner

    /// Values that the program shares across its parts and, once ``persist(in:)`` was called, across processes.
    public let sharedData: SharedData

    private let standing = Mutex(Standing())
    private let notifications: NotificationPosting
    private let cacheConfiguration: ExpiringCache.Configuration

    private struct Standing {
        var directory: URL?
        var sharedDataObservation: ObservationToken?
    }

    /// Creates a manager whose stores live in memory until ``persist(in:)`` is called.
    ///
    /// - Parameter configuration: Limits, interceptors, transport and clocks.
    public convenience init(configuration: Configuration = Configuration()) {
        self.init(configuration: configuration, sharing: nil)
    }

    /// Creates a manager on registries of its own, or of another one.
    init(configuration: Configuration, sharing registries: Registries?) {
        core = ClientCore(configuration, sharing: registries)
        runner = CallRunner(core: core)
        cacheConfiguration = configuration.cache
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
    /// It does not matter whether a template is written with a leading slash.
    public var pathTemplates: Registry<PathTemplate, [String: JSONValue]> { core.registries.pathTemplates }

    /// The dogmas by name; ``DogmaAlias/json``, ``DogmaAlias/form`` and ``DogmaAlias/raw`` are registered at first.
    public var dogmas: Registry<DogmaAlias, any Dogma> { core.registries.dogmas }

    /// The pool that bounds how many requests and local jobs run at once.
    public var workers: WorkerPool { core.workers }

    /// The server of requests that name none; `nil` at first.
    public var defaultServer: ServerAlias? {
        get { core.registries.defaultServer }
        set { core.registries.defaultServer = newValue }
    }

    /// The options of every call; servers, APIs and calls may set others.
    ///
    /// They may change while calls run: a call has the options that were in force when it began.
    ///
    /// ```swift
    /// manager.options = manager.options.timeout(.seconds(30)).retry(.standard)
    /// ```
    ///
    /// Where several tasks change them at once, use ``updateOptions(_:)``.
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
    /// - Parameter change: Returns the new options for the current ones. It runs again when another task was faster.
    public func updateOptions(_ change: (CallOptions) -> CallOptions) {
        core.registries.updateOptions(change)
    }

    /// The dogma of requests that name none; ``DogmaAlias/json`` at first.
    public var defaultDogma: DogmaAlias {
        get { options[.dogma] ?? .json }
        set { updateOptions { $0.dogma(newValue) } }
    }

    // MARK: - Stores

    /// The directory that holds the stores; `nil` while they live in memory.
    public var directory: URL? {
        standing.withLock { $0.directory }
    }

    /// Moves the stores into a directory, where they outlive the process.
    ///
    /// The directory is made if it is missing (readable by its owner only). It then holds `shared-data.sqlite`,
    /// `response-cache.sqlite` and `response-cache.key`, without which no credential in the cache can be read, and
    /// `journal.sqlite` once a run uses a journal. Shared values set before are written into the file; responses cached
    /// before are forgotten. Several processes may use the same directory.
    ///
    /// Calling it again with the same directory does nothing.
    ///
    /// - Parameter directory: Where to keep the stores.
    /// - Throws: `StoreError` when the directory cannot be made or is a file, when the shared data are not readable as
    ///   a database or of a newer version, or when the manager persists in another directory. The manager then
    ///   continues as before. A response cache that is damaged is set aside, and an empty one begun.
    public func persist(in directory: URL) throws(StoreError) {
        let directory = directory.standardizedFileURL
        if let current = self.directory, current.path == directory.path {
            return
        }
        let sharedDataFile = directory.appendingPathComponent("shared-data.sqlite")
        let cacheFile = directory.appendingPathComponent("response-cache.sqlite")
        let cache = try ExpiringCache(file: cacheFile, configuration: cacheConfiguration)
        let secret = try CacheSecret.kept(in: directory)
        try sharedData.attach(file: sharedDataFile)
        core.cache.responses.move(to: ResponseCache.Place(storage: cache, secret: secret))
        core.jobs.persist(in: directory)
        standing.withLock { $0.directory = directory }
    }

    // MARK: - NotificationCenter

    /// Where events are posted as ``ClientEventMessage``, with the manager as their subject; `nil`, the default, posts
    /// none.
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    public var notificationCenter: NotificationCenter? {
        get { notifications.center }
        set { notifications.post(to: newValue, on: self) }
    }
}
