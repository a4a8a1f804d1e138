// SPDX-License-Identifier: MIT

// snippet.hide
import RestClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct User: Codable, Sendable, Equatable { var id: Int }
struct Token: Codable, Sendable { let value: String }
struct Draft: Codable, Sendable { let title: String }
struct Problem: Error, Decodable { let message: String }
extension ServerAlias { static let main: ServerAlias = "main" }
extension APIAlias where Model == User { static var user: Self { "user" } }
extension APIAlias where Model == [User] { static var users: Self { "users" } }
extension APIAlias where Model == Token { static var login: Self { "login" } }
extension SharedKey where Value == User { static var me: Self { .init("me") } }

let manager = RestClientManager()
manager.servers[.main] = "https://api.example.com/v1"
manager.defaultServer = .main
manager.apis[.user] = API(.get, "/users/{id}")
manager.apis[.users] = API(.get, "/users")
manager.apis[.login] = API(.post, "/login")

func show(_ value: some Sendable) { print(value) }

func helloJustClient(folder: URL, key: SealingKey) async throws {
    // snippet.show
    // standby(withRepositoryPath:workerName:)
    try manager.persist(in: folder)
    // setServerAddresses(_:), defaultServerKey
    manager.servers[.main] = "https://api.example.com/v1"
    manager.defaultServer = .main
    // setApiWith(serverKey:endpoint:forKey:), setReplaceComponents(_:forEndpoint:)
    manager.apis[.user] = API(.get, "/users/$0", server: .main, defaults: ["$0": "me"])
    // setDogma(_:forKey:), defaultDogmaKey
    manager.dogmas["form"] = FormDogma()
    manager.defaultDogma = "form"
    // setAutoSetting(value:forHeaderField:)
    manager.options = manager.options.header(.userAgent, "app/1.0")
    // timeoutInterval, connectionPoolSize
    manager.options = manager.options.timeout(.seconds(8))
    manager.workers.size = 4
    // request().get().apiKey(_:).requestModel(_:).updateCache(true).resume { … }
    manager.request(.user).requestModel(["$0": "7"]).cache(.elseNetwork()).onSuccess { show($0.model) }.resume()
    // requestSerial(_:callIdentifier:stopWhenFailed:), requestModelFromResultHandler(_:), localRequest(name:)
    let users = RequestNode(.users)
    let first = RequestNode(.user)
        .handover { node, previous in
            node.parameter("$0", try previous.value(as: [User].self).first?.id ?? 0)
        }
    let count = LocalJob("count") { previous in try previous.value(as: User.self).id }
    _ = await manager.serially([users, first, count], stopsOnFailure: true)
    // requestConcurrent(_:callIdentifier:)
    _ = await manager.concurrently([users.callIdentifier("start"), users])
    // cachedResponseModel(…expireTimeInterval:), updateCachedResponseModel(…), clearCache(…)
    _ = try await manager.cache.read(manager.request(.user).parameter("$0", 7), maxAge: .seconds(60))
    try await manager.cache.store(User(id: 7), for: manager.request(.user).parameter("$0", 7))
    try await manager.cache.remove(manager.request(.user).parameter("$0", 7))
    // setShared(data:forKey:), sharedData(forKey:), setCipher(name:forSharedDataKey:), setObserver(forSharedDataKey:)
    let me = SharedKey<User>("me", codec: .gzipSealed(key))
    try manager.sharedData.set(User(id: 7), for: me)
    let token = manager.sharedData.observe(me) { change in show(change.newValue?.id ?? 0) }
    // useDummyResponse, setDummyResponseHanlder(_:forServerAddress:endpoint:method:responseDelayTime:)
    manager.dummies.mode = .matched
    manager.dummies.register(.get, "/users/{id}", delay: .milliseconds(80)) { _ in .json(User(id: 7)) }
    // addObserver(_:selector:), raiseCustomEvent(_:withParameter:)
    let observation = manager.observe { event in show(event.description) }
    manager.emit("signed in", payload: ["user": 7])
    // Hydra's pause, resume and ordering
    manager.workers.isPaused = true
    _ = manager.request(.user).priority(.high)
    manager.workers.isPaused = false
    // NotificationRequestModel, NotificationHttpHeaders, and the results of local requests
    let details = manager.observe(.names(.callStarted, .callSucceeded, .localJobSucceeded)) { event in
        show(event.value != nil || event.responseFields?[.eTag] != nil)
    }
    // snippet.hide
    observation.cancel()
    token.cancel()
    details.cancel()
}

func webServiceSwift() async throws {
    // snippet.show
    // performRequest(_:completionHandler:)
    let user = try await manager.request(.user).parameter("id", 7).send()
    // performRequest(_:key:excludeDuplicate:), performRequest(_:excludeDuplicate:) of a Hashable request
    _ = try await manager.request(.login).refusingDuplicates(of: "login").send()
    _ = try await manager.request(.user).parameter("id", 7).refusingDuplicates().send()
    // containsRequest(key:), containsRequest(type:), cancelRequests(key:), cancelAllRequests()
    show(manager.calls.running(.identifier("login")).isEmpty)
    show(manager.calls.running(.model(User.self)).isEmpty)
    manager.calls.cancel(.identifier("login"))
    manager.calls.cancel(.all)
    // readStorage(_:dependencyNextRequest:), then performRequest(_:)
    for try await response in manager.request(.users).cache(.thenNetwork).responses() {
        show(response.source)
    }
    // WebServiceMemoryStorage, and storages of decoded values
    _ = manager.request(.users).cache(.elseNetwork().inMemory().keepingModels())
    // deleteInStorage(request:), deleteAllInStorages(withDataClassification:), deleteAllInStorages()
    try await manager.cache.remove(manager.request(.users))
    try await manager.cache.remove(.tag("profile"))
    try await manager.cache.remove(.all)
    // WebServiceMockEndpoint, WebServiceMockRequestEndpoint
    try await manager.withDummies(.strict, [Dummy(.get, "/users").responds(.json([User(id: 7)]))]) {
        show(try await manager.request(.users).send().count)
    }
    // snippet.hide
    show(user)
}

func codyFire() async throws {
    // snippet.show
    // CodyFire.shared.configureEnvironments(dev:testFlight:appStore:)
    manager.environments["production"] = ClientEnvironment(servers: [.main: "https://api.example.com/v1"])
    manager.environments["staging"] = ClientEnvironment(servers: [.main: "https://staging.example.com/v1"])
    try manager.environments.use(fromVariable: "env", else: "production")
    // fillHeaders, responseTimeout, unauthorizedHandler
    manager.options = manager.options
        .header(.acceptLanguage) { "en" }
        .timeout(.seconds(15))
        .onUnauthorized { _ in show("sign in") }
    // setCustomError(_:), addCustomError(_:), dateDecodingStrategy, dateEncodingStrategy
    manager.options = manager.options.errorTexts([.unauthorized: "Sign in first"]).dateStrategy(.secondsSince1970)
    // setCustomError(_:) of URL errors
    manager.options = manager.options.errorTexts([.timeout: "Too slow", .connectionFailed: "No network"])
    // APIRequest("user", payload:).method(.post).query(_:).basicAuth(email:password:).successStatusCode(.created)
    let request = manager.request(User.self).post().endpoint("/users").requestModel(Draft(title: "a"))
        .query(["notify": true]).basic(user: "kim", password: "secret").accepting([.created])
    // additionalTimeout(_:), retry(on:attempts:)
    let patient = request.minimumDuration(.milliseconds(300)).retry(3)
    // onSuccess(_:), onNotAuthorized(_:), onTimeout(_:), onNetworkUnavailable(_:), onCancellation(_:), onError(_:)
    let call = patient.onStart { show("started") }
        .onSuccess { show($0.model) }
        .onUnauthorized { _ in show("401") }
        .onTimeout { _ in show("late") }
        .onOffline { _ in show("offline") }
        .onCancel { show("cancelled") }
        .onError { show("\($0)") }
        .resume()
    call.cancel()
    // a.and(b).onSuccess { a, b in … }
    let (token, users) = try await manager.serially(RequestNode(.login), RequestNode(.users))
    // [requests].flatten().concurrent(by: 3), and with .avoidCancelOnError()
    let nodes = (1...9).map { RequestNode(.user).parameter("id", $0) }
    let report = await manager.concurrently(nodes, limit: 3, onFailure: .cancel)
    let whole = await manager.concurrently(nodes, limit: 3)
    // .avoidCancelOnError(except: .unauthorized)
    let most = await manager.concurrently(nodes, limit: 3, onFailure: .cancel) { error in
        (error as? RestClientError)?.status != .unauthorized
    }
    // onMock(MockResponder.self)
    manager.dummies.register(.get, "/users") { _ in .json([User(id: 7)]) }
    // snippet.hide
    show(report.values + whole.values + most.values)
    show(token)
    show(users)
}

func surf(session: TokenSource) async throws {
    // snippet.show
    // BaseCoreServerRequest(method:baseUrl:relativeUrl:headers:parameters:), performAsync(with:)
    let user = try await manager.request(User.self).endpoint("/users/{id}").parameter("id", 7).send()
    // CachePolicy.firstCacheThenRefreshFromServer, .serverIfFailReadFromCahce, .cacheOnly
    let calls = [
        manager.request(.users).cache(.thenNetwork), manager.request(.users).cache(.networkElseCache()),
        manager.request(.users).cache(.cacheOnly()),
    ]
    // ErrorMapperAdapter.map(json:httpCode:)
    manager.options = manager.options.mapError { error in
        if let problem = error.decodedBody(as: Problem.self) { problem } else { error }
    }
    // the same for an error that is the decoded body
    manager.options = manager.options.mapError(to: Problem.self)
    // TokenProvider, AccessSafeRequestManager, AccessSafeNode, TokenRefresherActor
    manager.servers[.main] = Server("https://api.example.com/v1").bearer(session)
    // build() with a RawMappable and a DTO, Observer.map(_:)
    let name = try await manager.request(String.self, from: User.self) { "user \($0.id)" }.endpoint("/me").send()
    // IteratableContext, ServicePaginator.moveNext(), AsyncPagerIterator.saveState()
    let pager = manager.request(.users).pages(.offset("start").size(20, as: "count")).pager()
    let page = try await pager.moveNext()
    let position = pager.position
    try pager.restore(position)
    // URLChainBuilder().route(.post, .users).encode(as: .formURL).build().process(model)
    _ = try await manager.request(User.self).post().endpoint("/users").dogma("form").requestModel(Draft(title: "a"))
        .send()
    // snippet.hide
    show(user)
    show(calls.count)
    show(name)
    show(page?.items ?? [])
}

func apiService() async throws {
    // snippet.show
    // APIService.sendRequest(_:plugins:progressHandler:cacheHandler:completionHandler:)
    manager.request(.user).parameter("id", 7)
        .onCacheSuccess { show($0.model) }
        .onSuccess { show($0.model) }
        .resume()
    // APIRequest.url, .method, .parameters, .headers, one protocol for each domain
    manager.servers["files"] = Server("https://files.example.com").header(.accept, "application/json").dogma("envelope")
    // APIModelWrapper {code, msg, data}, validateResult
    manager.dogmas["envelope"] = EnvelopeDogma(message: "msg")
    // APICache(usageMode: .alsoNetworkWithCallback, expiry: .seconds(60), extraCacheKey:)
    let cached = manager.request(.users).cache(.thenNetwork.storing(for: .seconds(60))).cachePartition("user 7")
    // APIPlugin.prepare, willSend, didReceive
    manager.options = manager.options.interceptors(Stamp())
    // sendRequestAsync(_:), sendRequestSequence(_:)
    let users = try await cached.send()
    // snippet.hide
    show(users)
}

struct Stamp: Interceptor {
    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse { try await next(request) }
}

func others() async throws {
    // snippet.show
    // Alamofire: AF.request(url, parameters:).validate().serializingDecodable(User.self).value
    // Moya: provider.request(.user(7)); a target is an API
    // Get: client.send(Request(path: "/users/7")).value
    // URLSession: data(for:), the status check and JSONDecoder
    let user = try await manager.request(.user).parameter("id", 7).send()
    // Alamofire's RequestInterceptor and EventMonitor, Moya's plugins
    manager.options = manager.options.interceptors(Stamp()).retry(.standard)
    let observation = manager.observe(.api(.user)) { event in show(event.description) }
    // HTTPCookieStorage
    manager.options = manager.options.cookies(CookieJar())
    // Moya's stubs, URLProtocol in tests
    manager.dummies.register(.get, "/users/{id}") { _ in .json(User(id: 7)) }
    // snippet.hide
    observation.cancel()
    show(user)
}
// snippet.show
