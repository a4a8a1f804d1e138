// SPDX-License-Identifier: MIT

// The lines of the tables of "Coming from other clients", for the compiler.

// snippet.hide
import RestClient
import RestClientRecording
import RestClientWebSocket

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct User: Codable, Sendable { var id: Int }
struct Draft: Codable, Sendable { let title: String }
struct Tick: Codable, Sendable { let price: Double }
struct Problem: Error, Decodable { let message: String }
enum Command: Codable, Sendable { case subscribe(String) }
enum MarketEvent: Decodable, Sendable { case tick(Tick) }
struct UserAPIs: Sendable { let user: APIAlias<User> = "user" }
extension ServerAlias { static let main: ServerAlias = "main" }
extension APIAlias where Model == User { static var user: Self { "user" } }
extension APIAlias where Model == [User] { static var users: Self { "users" } }
extension APIAlias where Model == Tick { static var ticks: Self { "ticks" } }
extension APIAlias where Model == MarketEvent { static var market: Self { "market" } }
extension SharedKey where Value == User { static var me: Self { .init("me") } }

struct Stamp: Interceptor {
    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse { try await next(request) }
}

struct Replacement: Interceptor {
    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse { try await next(request) }
}

actor Helper {
    private var count = 0

    func next() -> User {
        count += 1
        return User(id: count)
    }
}

actor Shelf: CacheBackend {
    private var entries: [String: CacheEntry] = [:]

    nonisolated var isShared: Bool { false }

    func entry(for key: String) -> CacheEntry? { entries[key] }
    func store(_ entry: CacheEntry, for key: String) { entries[key] = entry }
    func remove(_ key: String) -> Bool { entries.removeValue(forKey: key) != nil }
    func keys(prefix: String) -> [String] { entries.keys.filter { $0.hasPrefix(prefix) } }
}

let manager = RestClientManager()
let node = manager.request(.user).parameter("id", 7)
let other = manager.request(.user).parameter("id", 8)
let list = manager.request(.users)
let pins = ["sha256/tcH0eUo6Q8BUla4zqKUq6vWSu2rFBwk5oE3OVcPx9nQ="]

func show(_ value: some Sendable) { print(value) }

func hjRestClientManager(
    folder: URL,
    path: String,
    key: SealingKey,
    certificate: String,
    error: any Error
) async throws {
    var connections = DirectTransport.Configuration()
    // snippet.show
    _ = RestClientManager.shared
    try manager.persist(in: folder)
    manager.servers[.main] = "https://api.example.com/v1"
    _ = manager.servers[.main]?.address
    manager.defaultServer = .main
    manager.apis[.user] = API(.get, "/users/{id}", server: .main)
    _ = manager.apis[.user]?.server.flatMap { manager.servers[$0]?.address }
    _ = manager.apis[.user]?.path.description
    _ = try await node.curlCommand().description
    manager.pathTemplates["/users/$0"] = ["$0": "me"]
    _ = manager.pathTemplates["/users/$0"]
    manager.pathTemplates["/users/$0"] = nil
    for path in manager.pathTemplates.all.keys { manager.pathTemplates[path] = nil }
    manager.dogmas["form"] = FormDogma()
    _ = manager.dogmas["form"]
    manager.defaultDogma = "form"
    manager.options = manager.options.header(.userAgent, "app/1.0")
    manager.options = manager.options.header(.userAgent) { nil }
    manager.options = CallOptions()
    manager.options = manager.options.timeout(.seconds(8))
    manager.workers.size = 4
    _ = manager.request(.user)
    _ = manager.request(User.self).post().server(.main).endpoint("/users")
    _ = node.values(["name": "Kim", "age": 41])
    _ = node.dogma(.form)
    _ = node.header("X-Page", "2")
    _ = node.callIdentifier("start")
    node.resume { result in show(result) }
    _ = node.mapResult { (try? $0.get()) ?? User(id: 0) }
    _ = await manager.concurrently([node, other])
    _ = await manager.serially([node, other], onFailure: .stop)
    _ = await manager.serially([node, other]).stopped
    _ = await manager.serially([node, other]).outcomes
    _ = try await manager.run(LocalJob("sum") { 2 + 3 })
    _ = node.cache(.reload)
    manager.options = manager.options.cache(.reload)
    _ = try await manager.cache.read(node, maxAge: .seconds(60))?.model
    try await manager.cache.store(User(id: 7), for: node)
    try await manager.cache.remove(node)
    _ = node.cache(.http)
    try await manager.cache.invalidate(.all)
    try manager.sharedData.set(User(id: 7), for: .me)
    _ = try manager.sharedData.value(for: .me)
    try manager.sharedData.remove(.me)
    try manager.sharedData.removeAll()
    _ = manager.sharedData.file
    _ = SharedKey<User>("me", codec: .gzipSealed(key))
    _ = SharedKey<User>("me", previousCodecs: [.gzipSealed(key)])
    _ = SharedKey<User>("me", schemaVersion: 2, migration: { old, _ in try JSONDecoder().decode(User.self, from: old) })
    let token = manager.sharedData.observe(.me) { change in show(change.newValue?.id ?? 0) }
    token.cancel()
    manager.dummies.mode = .matched
    manager.dummies.register(.get, "/users/{id}") { _ in .json(User(id: 7)) }
    manager.dummies.register(.get, "/users", delay: .milliseconds(80)) { _ in .json([User(id: 7)]) }
    _ = DummyResponse.json(User(id: 7), status: .created)
    _ = DummyResponse.noResponse
    let observation = manager.observe { event in show(event.description) }
    let loads = manager.observe(.names(.callSucceeded, .notModified)) { event in show(event.description) }
    let stores = manager.observe(.names(.cacheStored, .cacheRemoved)) { event in show(event.description) }
    let changes = manager.observe(.names(.sharedDataUpdated, .sharedDataRemoved)) { show($0.description) }
    observation.cancel()
    let ends = manager.observe(.names(.groupFinished)) { event in show(event.description) }
    _ = FailureClass(of: error) == .serverUnavailable
    manager.emit("signed in", payload: ["user": 7])
    manager.workers.isPaused = true
    _ = node.priority(.high)
    manager.calls.cancel(.identifier("start"))
    _ = node.body(.multipart(MultipartForm().file("photo", path)))
    _ = node.body(.file(path))
    try await node.download(to: path)
    _ = node.onProgress(of: .received) { show($0.transfer.fraction ?? 0) }
    connections.additionalTrustRoots = [certificate]
    try await manager.cache.storage.sweep()
    _ = try await manager.cache.storage.statistics()
    _ = node.sharingFlight()
    // snippet.hide
    _ = try DirectTransport(configuration: connections)
    for observation in [ends, loads, stores, changes] { observation.cancel() }
}

func webServiceSwift(folder: URL, helper: Helper, error: any Error) async throws {
    var configuration = RestClientManager.Configuration()
    // snippet.show
    _ = RestClientManager()
    configuration.transport = DirectTransport()
    _ = manager.clone()
    manager.apis[.user] = API(.get, "/users/{id}")
    _ = try await manager.request(.user).parameter("id", 7).send()
    node.callbacks(on: MainActor.shared).onSuccess { show($0.model) }.resume()
    let ends = manager.observe(.callEnds) { event in show(event.description) }
    _ = node.callIdentifier("login").refusingDuplicates(of: "login")
    _ = node.refusingDuplicates()
    _ = (error as? RestClientError)?.code == .duplicateCall
    _ = (error as? RestClientError)?.status
    _ = (error as? RestClientError)?.code
    _ = !manager.calls.running(.identifier("login")).isEmpty
    _ = node.tags("screen")
    _ = !manager.calls.running(.tag("screen")).isEmpty
    _ = !manager.calls.running(.model(User.self)).isEmpty
    _ = manager.calls.running().count > 1
    _ = !manager.calls.running().isEmpty
    manager.calls.cancel(.identifier("login"))
    manager.calls.cancel(.tag("screen"))
    manager.calls.cancel(.model(User.self))
    manager.calls.cancel(.all)
    try await manager.withCalls { try await node.send() }
    _ = manager.provider(UserAPIs()).request(\.user)
    _ = manager.request(Data.self).endpoint("/logo.png")
    _ = manager.request(User.self).decode { response in try JSONDecoder().decode(User.self, from: response.body) }
    try manager.persist(in: folder)
    _ = node.cache(.elseNetwork().inMemory())
    _ = node.cache(.elseNetwork().keepingModels())
    configuration.cacheBackend = Shelf()
    _ = node.cache(.elseNetwork().keyed(as: "profile"))
    _ = node.cacheTags("profile")
    _ = try await manager.cache.read(node)?.model
    _ = try await manager.cache.read(node)?.source
    _ = node.cache(.thenNetwork).responses()
    try await manager.cache.store(User(id: 7), for: node)
    try await manager.cache.remove(node)
    try await manager.cache.remove(.tag("profile"))
    try await manager.cache.remove(.matching { $0.tags.isEmpty })
    try await manager.cache.remove(.all)
    manager.dummies.mode = .strict
    manager.dummies.register(Dummy(.user, responding: User(id: 7)))
    manager.dummies.register(Dummy(.user, responding: User(id: 7)).delay(.seconds(2)))
    manager.dummies.register(.user) { _ in .json(await helper.next()) }
    _ = try await manager.withDummies(.strict, [Dummy(.user, responding: User(id: 7))]) { try await node.send() }
    // snippet.hide
    ends.cancel()
    _ = RestClientManager(configuration: configuration)
}

func codyFire(bytes: Data, line: ProgressLine, error: RestClientError) async throws {
    let nodes = (1...9).map { RequestNode(.user).parameter("id", $0) }
    // snippet.show
    manager.environments["production"] = ClientEnvironment(servers: [.main: "https://api.example.com/v1"])
    manager.environments["production"]?.servers["live"] = "wss://live.example.com/ws"
    try manager.environments.use("production")
    try manager.environments.use(fromVariable: "env", else: "production")
    manager.options = manager.options.header(.acceptLanguage) { "en" }
    manager.options = manager.options.headers([.acceptLanguage: "en", .userAgent: "app/1.0"])
    manager.options = manager.options.onRefusedCredentials { _ in show("sign in") }
    let observation = manager.observe(.names(.callSucceeded)) { event in show(event.description) }
    let failures = manager.observe(.names(.callFailed)) { event in show(event.description) }
    _ = node.muted()
    _ = node.errorTexts([.unauthorized: "Sign in first"])
    _ = node.errorTexts(byCode: [.timeout: "Too slow", .connectionFailed: "No network"])
    _ = node.coding(dates: .secondsSince1970)
    manager.servers["users"] = "https://api.example.com/v1/users"
    _ = manager.request(User.self).endpoint("/user").body(Draft(title: "a"))
    _ = node.post()
    _ = manager.request(User.self).serverAddress("https://other.example.com").endpoint("/me")
    _ = node.query(["notify": true])
    _ = node.query(Draft(title: "a"))
    _ = node.header("X-Page", "2")
    _ = node.basic(user: "kim", password: "secret")
    _ = node.accepting([.created])
    _ = node.timeout(.seconds(15))
    _ = node.minimumDuration(.milliseconds(300))
    var policy = RetryPolicy(attempts: 3)
    policy.isRetryable = { [502, 503].contains(($0 as? RestClientError)?.status?.code) }
    _ = node.retry(policy)
    _ = node.retry(3)
    _ = node.body(Draft(title: "a"))
    _ = node.dogma(.form).body(Draft(title: "a"))
    _ = node.body(.multipart(MultipartForm().data("file", bytes, fileName: "a.txt")))
    _ = manager.request(Void.self)
    _ = node.onStart { show("started") }
    node.onSuccess { show($0.model) }.resume()
    node.onSuccess { show($0.status) }.resume()
    _ = node.onError(of: .unauthorized) { _ in show("401") }
    _ = node.onError(of: .timeout) { _ in show("late") }
    _ = node.onError(of: .network) { _ in show("offline") }
    try await manager.reachability(of: .main).check()
    _ = node.onError(of: .cancelled) { _ in show("cancelled") }
    _ = node.onError { show("\($0)") }
    _ = node.onProgress(of: .received) { show($0.transfer.fraction ?? 0) }
    let call = node.resume()
    call.cancel()
    _ = error.response?.body
    _ = error.status
    _ = error.code == .timeout
    _ = error.message
    let (user, users) = try await manager.serially(node, list)
    _ = await manager.serially(nodes)
    _ = await manager.concurrently(nodes, limit: 3, onFailure: .cancel)
    _ = await manager.concurrently(nodes, limit: 3)
    _ = await manager.withProgress(of: .received, line.show) { await manager.concurrently(nodes) }
    manager.dummies.mode = .strict
    manager.dummies.register(.users) { _ in .json([User(id: 7)]) }
    _ = node.dummies(.off)
    let socket = try await manager.request(.ticks).webSocket()
    try await socket.send("hello")
    try await socket.send(.binary(bytes))
    let commands = try await manager.request(.ticks).webSocket(sending: Command.self)
    try await commands.send(.subscribe("EURUSD"))
    await socket.close()
    for try await tick in manager.request(.ticks).webSocketFeed() { show(tick.price) }
    for try await event in manager.request(.market).webSocketFeed() { show(event) }
    // snippet.hide
    observation.cancel()
    failures.cancel()
    show(user)
    show(users)
}

func surf(path: String, session: TokenSource, key: SealingKey) async throws {
    // snippet.show
    _ = manager.request(User.self).post("/users")
    _ = try await node.send()
    _ = node.values(["name": "Kim", "age": 41])
    _ = node.body(.multipart(MultipartForm().file("photo", path)))
    _ = node.bearer("secret")
    manager.servers[.main] = Server("https://api.example.com/v1").bearer(session)
    _ = try await node.bearer(session).send()
    session.current = nil
    session.current = AccessToken("new")
    _ = node.onError(of: .unauthorized) { _ in show("sign in") }
    _ = TokenSource(refusals: [.unauthorized, .forbidden]) { _ in AccessToken("new") }
    manager.options = manager.options.mapError(to: Problem.self)
    _ = node.cache(.networkOnly)
    _ = node.cache(.cacheOnly())
    _ = node.cache(.thenNetwork)
    _ = node.cache(.networkElseCache())
    _ = node.cache(.networkElseCache(on: [.unreachable, .timeout]))
    _ = node.cache(.http)
    _ = try await node.response().source.isCache
    node.onSuccess { show($0.model) }.resume()
    node.onCacheSuccess { show($0.model) }.resume()
    _ = node.onError { show("\($0)") }
    let token = manager.sharedData.observe(.me) { change in show(change.newValue?.id ?? 0) }
    let last = manager.sharedData.observe(.me, options: [.initial]) { show($0.newValue?.id ?? 0) }
    _ = manager.events(.all, buffering: .oldest(100))
    _ = node.onError(of: .cancelled) { _ in show("cancelled") }
    node.resume().cancel()
    _ = node.callbacks(on: MainActor.shared)
    _ = manager.request(RequestNode(String.self, from: User.self) { "user \($0.id)" })
    _ = node.mapResult { (try? $0.get()) ?? User(id: 0) }
    let (user, users) = try await manager.concurrently(node, list)
    _ = await manager.concurrently([node, other])
    _ = await manager.serially([node, other])
    let pager = manager.request(.users).pages(.offset("start").size(20, as: "count")).pager()
    _ = try await pager.moveNext()?.items
    _ = pager.canMoveNext
    let position = pager.position
    try pager.restore(position)
    try pager.restore(PagingState(position: .offset(40)))
    pager.reset()
    manager.apis[.users] = API(.post, "/users")
    _ = node.dogma(.form)
    _ = node.query(["page": 2])
    _ = node.queryEncoding(QueryEncoding(lists: .brackets, bools: .digits))
    _ = node.header(.acceptLanguage) { "en" }
    _ = node.interceptors(Stamp())
    _ = manager.request(Void.self)
    _ = manager.request(Data.self)
    _ = try await node.response().explain()
    manager.dummies.register(.get, "/users/{id}") { _ in .json(User(id: 7)) }
    _ = SharedKey<User>("me", codec: .sealed(key))
    // snippet.hide
    token.cancel()
    last.cancel()
    show(user)
    show(users)
}

func apiService(path: String, folder: URL) async throws {
    var configuration = RestClientManager.Configuration()
    // snippet.show
    manager.apis[.user] = API(.get, "/users/{id}", server: .main)
    _ = manager.request(User.self).url("https://files.example.com/7")
    manager.servers["files"] = Server("https://files.example.com").dogma("envelope")
    _ = node.header(.accept, "application/json")
    _ = node.values(["name": "Kim", "age": 41])
    _ = node.dogma(.form)
    _ = node.body(.multipart(MultipartForm().file("photo", path)))
    try await node.download(to: path)
    _ = manager.request(User.self).decode { response in try JSONDecoder().decode(User.self, from: response.body) }
    _ = manager.request(.user)
    manager.dogmas["envelope"] = EnvelopeDogma(message: "msg")
    node.onSuccess { show($0.model) }.resume()
    node.onCacheSuccess { show($0.model) }.resume()
    _ = node.onProgress(of: .received) { show($0.transfer.fraction ?? 0) }
    _ = node.callbacks(on: MainActor.shared)
    node.resume().cancel()
    _ = try await node.send()
    _ = try await node.response().status
    _ = try await node.response().source
    _ = node.cache(.thenNetwork).responses()
    manager.options = manager.options.interceptors(Stamp())
    _ = node.interceptors(Stamp())
    _ = node.interceptors(Replacement())
    let observation = manager.observe(.callEnds) { event in show(event.description) }
    _ = !manager.calls.running().isEmpty
    try await manager.reachability(of: .main).check()
    _ = node.onError(of: .network) { _ in show("offline") }
    configuration.transport = DirectTransport()
    _ = node.cache(.networkOnly)
    _ = node.cache(.elseNetwork())
    _ = node.cache(.staleWhileRevalidate())
    _ = node.cache(.thenNetwork)
    _ = node.cache(.elseNetwork().inMemory())
    try manager.persist(in: folder)
    _ = node.cache(.elseNetwork().storing(for: .seconds(60)))
    _ = node.cache(.elseNetwork().storing { $0.status == .ok })
    _ = node.cache(.elseNetwork().keyed(as: "profile"))
    _ = node.cache(.elseNetwork().keyed(adding: "beta"))
    _ = node.cachePartition("user 7")
    _ = node.cache(.elseNetwork().keyed(ignoringQuery: "t"))
    configuration.cacheBackend = Shelf()
    // snippet.hide
    observation.cancel()
    _ = RestClientManager(configuration: configuration)
}

func alamofire(
    path: String,
    certificate: String,
    chunks: AsyncStream<Data>,
    session: TokenSource,
    error: RestClientError
) async throws {
    var connections = DirectTransport.Configuration()
    var configuration = RestClientManager.Configuration()
    // snippet.show
    _ = manager.request(User.self).url("https://api.example.com/v1/me")
    _ = try await node.send()
    _ = manager.request(String.self).endpoint("/text")
    _ = manager.request(User.self).decode { response in try JSONDecoder().decode(User.self, from: response.body) }
    _ = try await node.response()
    _ = node.accepting(StatusSet(200..<400))
    _ = node.values(["name": "Kim", "age": 41])
    manager.dogmas["sorted"] = JSONDogma(configureEncoder: { $0.outputFormatting = .sortedKeys })
    _ = node.dogma(.form)
    _ = node.queryEncoding(QueryEncoding(lists: .brackets, bools: .digits))
    manager.dogmas["plist"] = PropertyListDogma()
    _ = node.headers(["Accept": "application/json"])
    _ = node.timeout(.seconds(15))
    _ = node.body(.multipart(MultipartForm().field("title", "a").file("photo", path)))
    try await node.put().upload(from: path)
    _ = node.body(.stream(chunks))
    try await node.download(to: path)
    try await node.retry(.standard).download(to: path)
    _ = node.onProgress(of: .sent) { show($0.transfer.fraction ?? 0) }
    _ = node.onProgress(of: .received) { show($0.transfer.fraction ?? 0) }
    for try await chunk in try await node.stream().bytes { show(chunk.count) }
    node.resume().cancel()
    manager.calls.cancel(.all)
    _ = node.interceptors(Stamp())
    manager.options = manager.options.retry(.standard)
    manager.servers[.main] = Server("https://api.example.com/v1").bearer(session)
    _ = node.basic(user: "kim", password: "secret")
    let observation = manager.observe { event in show(event.description) }
    manager.servers[.main] = Server("https://api.example.com/v1").pinnedKeys(pins)
    connections.additionalTrustRoots = [certificate]
    _ = node.cache(.http.storing { $0.headers[.eTag] != nil })
    _ = node.redirects(.manual).accepting(StatusSet(200..<400))
    _ = node.compressingBody(.deflate)
    _ = manager.reachability(of: .main).states
    _ = try await node.curlCommand().description
    _ = try await node.response().timings
    _ = error.code == .unacceptableStatus
    // snippet.hide
    observation.cancel()
    configuration.transport = try DirectTransport(configuration: connections)
    _ = RestClientManager(configuration: configuration)
}

func moya(path: String, session: TokenSource, error: RestClientError) async throws {
    // snippet.show
    manager.apis[.user] = API(.get, "/users/{id}", server: .main)
    manager.servers[.main] = "https://api.example.com/v1"
    manager.apis[.users] = API(.get, "/users").header(.accept, "application/json")
    _ = manager.provider(UserAPIs())
    _ = try await manager.request(.user).parameter("id", 7).send()
    _ = manager.request(JSONValue.self).endpoint("/users")
    _ = manager.request(.user)
    _ = node.values(["name": "Kim", "age": 41])
    _ = node.body(Draft(title: "a"))
    _ = node.post().query(["page": 2]).body(Draft(title: "a"))
    _ = node.body(.file(path))
    _ = node.body(.multipart(MultipartForm().file("photo", path)))
    try await node.download(to: path)
    _ = node.onProgress(of: .sent) { show($0.transfer.fraction ?? 0) }
    _ = node.callbacks(on: MainActor.shared)
    node.resume().cancel()
    _ = node.sharingFlight()
    manager.options = manager.options.interceptors(Stamp())
    let observation = manager.observe { event in show(event.description) }
    manager.options = manager.options.interceptors(CurlPrinter { show($0.description) }, perAttempt: true)
    manager.options = manager.options.wireLog(WireLog(.bodies) { show($0.description) })
    manager.servers[.main] = Server("https://api.example.com/v1").bearer(session)
    _ = node.basic(user: "kim", password: "secret")
    _ = !manager.calls.running().isEmpty
    manager.dummies.register(Dummy(.user, responding: User(id: 7)))
    manager.dummies.mode = .strict
    manager.dummies.register(Dummy(.user, responding: User(id: 7)).delay(.seconds(2)))
    manager.dummies.register(Dummy(.user).responds(.connectionReset))
    _ = node.accepting(StatusSet(200..<400))
    _ = error.response?.body
    // snippet.hide
    observation.cancel()
}

func getClient(path: String, session: TokenSource, error: RestClientError) async throws {
    var configuration = RestClientManager.Configuration()
    // snippet.show
    manager.servers[.main] = "https://api.example.com/v1"
    _ = try await manager.request(User.self).endpoint("/user").send()
    _ = manager.request(User.self).post("/users").query(["page": 2]).body(Draft(title: "a"))
    _ = manager.request(User.self).url("https://api.example.com/v1/me")
    try await manager.request(Void.self).delete("/users/7").send()
    _ = node.header(.accept, "application/json")
    _ = try await node.response().status
    _ = try await node.response().timings
    _ = try await manager.request(Data.self).endpoint("/logo.png").send()
    try await node.put().upload(from: path)
    try await node.download(to: path)
    manager.options = manager.options.interceptors(Stamp())
    manager.options = manager.options.retry(.standard)
    manager.servers[.main] = Server("https://api.example.com/v1").bearer(session)
    _ = node.accepting(StatusSet(200..<400))
    manager.dogmas["sorted"] = JSONDogma(configureEncoder: { $0.outputFormatting = .sortedKeys })
    configuration.transport = DirectTransport()
    _ = error.code == .unacceptableStatus
    _ = node.onProgress(of: .sent) { show($0.transfer.fraction ?? 0) }
    // snippet.hide
    _ = RestClientManager(configuration: configuration)
}

func urlSession(
    path: String,
    chain: String,
    privateKey: String,
    bytes: Data,
    chunks: AsyncStream<Data>,
    file: URL
) async throws {
    var connections = DirectTransport.Configuration()
    var configuration = RestClientManager.Configuration()
    // snippet.show
    _ = try await node.send()
    _ = try await manager.request(Data.self).url("https://example.com/logo.png").send()
    node.resume { result in show(result) }
    _ = try await node.response().headers
    _ = node.body(bytes, contentType: "image/png")
    try await node.put().upload(from: path)
    _ = node.body(.stream(chunks))
    try await node.retry(.standard).download(to: path)
    for try await chunk in try await node.stream().bytes { show(chunk.count) }
    for try await line in try await node.stream().lines() { show(line) }
    let socket = try await manager.request(.ticks).webSocket()
    try await socket.send("hello")
    _ = try await socket.receive()
    try await socket.ping()
    _ = node.onProgress(of: .sent) { show($0.transfer.fraction ?? 0) }
    _ = node.onProgress(of: .received) { show($0.transfer.fraction ?? 0) }
    node.resume().cancel()
    _ = node.priority(.high)
    manager.options = manager.options.cache()
    _ = node.cache(.elseNetwork())
    _ = node.cache(.cacheOnly())
    _ = node.cache(.reload)
    _ = node.cache(.revalidate)
    configuration.cache.byteLimit = 50_000_000
    manager.options = manager.options.cookies(CookieJar())
    manager.options = manager.options.header(.userAgent, "app/1.0")
    _ = node.timeouts(firstByte: .seconds(60), idle: .seconds(60))
    _ = node.timeout(.seconds(3600))
    manager.workers.limits[.main] = 4
    manager.options = manager.options.retry(.standard)
    _ = node.onError(of: .network) { _ in show("offline") }
    manager.servers[.main] = Server("https://api.example.com/v1").pinnedKeys(pins)
    connections.clientCertificateFiles = ClientCertificateFiles(chain: chain, privateKey: privateKey)
    _ = node.basic(user: "kim", password: "secret")
    _ = node.redirects(.manual).accepting(StatusSet(200..<400))
    _ = try await node.response().timings
    manager.dummies.register(.get, "/users/{id}") { _ in .json(User(id: 7)) }
    _ = try await HARReplay(HAR(file: file)).replay(of: manager) { try await node.send() }
    // snippet.hide
    await socket.close()
    configuration.transport = try DirectTransport(configuration: connections)
    _ = RestClientManager(configuration: configuration)
}

func furtherClients() async throws {
    // snippet.show
    _ = node.limits(decompression: 200)
    _ = try await manager.request(JSONValue.self).url("https://api.example.com/v1/me").send()
    _ = node.timeouts(attempt: .seconds(8))
    _ = node.circuitBreaker(.standard)
    manager.guards.isolate(.main)
    _ = node.rateLimit(.window(100, per: .seconds(60)))
    _ = node.rateLimit(.perSecond(20, burst: 5))
    _ = node.concurrency(8)
    _ = node.hedging(.percentile(0.95))
    _ = node.fallback(.server("mirror"), .cache(maxAge: .seconds(86_400)))
    // snippet.hide
}
// snippet.show
