// SPDX-License-Identifier: MIT

// snippet.hide
import RestClient
import RestClientWebSocket

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct User: Codable, Sendable, Equatable { var id: Int }
struct Draft: Codable, Sendable { let title: String }
struct Tick: Codable, Sendable { let price: Double }
struct Problem: Error, Decodable { let message: String }
extension ServerAlias { static let main: ServerAlias = "main" }
extension APIAlias where Model == User { static var user: Self { "user" } }
extension APIAlias where Model == [User] { static var users: Self { "users" } }
extension APIAlias where Model == Tick { static var ticks: Self { "ticks" } }

actor Shelf: CacheBackend {
    private var entries: [String: CacheEntry] = [:]

    nonisolated var isShared: Bool { false }

    func entry(for key: String) -> CacheEntry? { entries[key] }
    func store(_ entry: CacheEntry, for key: String) { entries[key] = entry }
    func remove(_ key: String) -> Bool { entries.removeValue(forKey: key) != nil }
    func keys(prefix: String) -> [String] { entries.keys.filter { $0.hasPrefix(prefix) } }
}

let manager = RestClientManager()
manager.servers[.main] = "https://api.example.com/v1"
manager.defaultServer = .main
manager.apis[.user] = API(.get, "/users/{id}")
manager.apis[.users] = API(.get, "/users")
manager.apis[.ticks] = API(.get, "/ticks")

func show(_ value: some Sendable) { print(value) }

// snippet.show
struct LegacyDogma: Dogma {
    struct Maintenance: Error {}

    var acceptedContentType: String? { "application/json" }

    // bodyFromRequestModel(_:), contentTypeFromRequestModel(_:)
    func encode(_ model: some Encodable, for request: DogmaRequest) throws -> EncodedBody {
        EncodedBody(try JSONEncoder().encode(model), contentType: "application/json")
    }

    // responseModel(fromData:serverAddress:endpoint:contentType:requestModel:responseModelRefer:)
    func decode<Model: Decodable>(
        _ type: Model.Type,
        from response: RawResponse,
        for request: DogmaRequest
    ) throws -> Model {
        try JSONDecoder().decode(type, from: response.body)
    }

    // responseData(fromModel:serverAddress:endpoint:requestModel:), for models that the program stores in the cache
    func encodeResponse(_ model: some Encodable, for request: DogmaRequest) throws -> EncodedBody {
        try encode(model, for: request)
    }

    // didReceiveResponse(response:serverAddress:endpoint:), of each response whose status was accepted
    func check(_ response: RawResponse, for request: DogmaRequest) throws {
        if response.headers[.contentType] == "text/html" { throw Maintenance() }
    }
}
// snippet.hide

func helloJustClient(key: SealingKey) async throws {
    manager.dogmas["legacy"] = LegacyDogma()
    // snippet.show
    // setApiWith(serverKey:endpoint:forKey:), setReplaceComponents(_:forEndpoint:)
    manager.apis[.user] = API(.get, "/users/$0", server: .main, defaults: ["$0": "me"])
    // request().get().apiKey(_:).requestModel(_:).updateCache(true).resume { … }
    manager.request(.user).values(["$0": "7"]).cache(.reload).onSuccess { show($0.model) }.resume()
    // requestSerial(_:callIdentifier:stopWhenFailed:), requestModelFromResultHandler(_:), localRequest(name:)
    let users = RequestNode(.users)
    let first = RequestNode(.user)
        .handover { node, previous in
            node.parameter("$0", try previous.value(as: [User].self).first?.id ?? 0)
        }
    let count = LocalJob("count") { previous in try previous.value(as: User.self).id }
    _ = await manager.serially([users, first, count], onFailure: .stop)
    // setShared(data:forKey:), setCipher(name:forSharedDataKey:), setObserver(forSharedDataKey:)
    let me = SharedKey<User>("me", codec: .gzipSealed(key))
    try manager.sharedData.set(User(id: 7), for: me)
    let token = manager.sharedData.observe(me) { change in show(change.newValue?.id ?? 0) }
    // NotificationRequestModel, NotificationHttpHeaders, and the results of local requests
    let details = manager.observe(.names(.callStarted, .callSucceeded, .localJobSucceeded)) { event in
        show(event.value != nil || event.responseFields?[.eTag] != nil)
    }
    // snippet.hide
    token.cancel()
    details.cancel()
}

func curl() async throws {
    // snippet.show
    // Copied from documentation, or from the network panel of a browser as cURL (bash)
    let command = "curl -X PATCH 'https://api.example.com/users/7' --json '{\"name\": \"Kim\"}' -u kim:secret"
    let user = try await manager.run(RequestNode(User.self, curl: command))
    print(try CurlCommand.swiftSource(of: command))  // the same as Swift source, to be pasted into a program
    // snippet.hide
    show(user)
}

func webServiceSwift() async throws {
    // snippet.show
    // readStorage(_:dependencyNextRequest:), then performRequest(_:)
    for try await response in manager.request(.users).cache(.thenNetwork).responses() {
        show(response.source)
    }
    // WebServiceMockEndpoint, WebServiceMockRequestEndpoint
    try await manager.withDummies(.strict, [Dummy(.get, "/users").responds(.json([User(id: 7)]))]) {
        show(try await manager.request(.users).send().count)
    }
    // snippet.hide
}

func codyFire() async throws {
    // snippet.show
    // APIRequest("users", payload:).method(.post).query(_:).basicAuth(email:password:).successStatusCode(.created)
    let request = manager.request(User.self).post("/users").body(Draft(title: "a"))
        .query(["notify": true]).basic(user: "kim", password: "secret").accepting([.created])
    // onSuccess(_:), onNotAuthorized(_:), onTimeout(_:), onNetworkUnavailable(_:), onCancellation(_:), onError(_:)
    let call = request.onStart { show("started") }
        .onSuccess { show($0.model) }
        .onError(of: .unauthorized) { _ in show("401") }
        .onError(of: .timeout) { _ in show("late") }
        .onError(of: .network) { _ in show("offline") }
        .onError(of: .cancelled) { _ in show("cancelled") }
        .onError { show("\($0)") }
        .resume()
    call.cancel()
    // MultipartPayload with an Attachment, and onProgress(_:)
    let form = MultipartForm().field("title", "Harbour").file("photo", "/photos/harbour.jpg")
    let photo = manager.request(User.self).post("/photos").body(.multipart(form))
    let owner = try await photo.onProgress(of: .sent) { show($0.transfer.fraction ?? 0) }.send()
    // [requests].flatten().avoidCancelOnError(except: .unauthorized)
    let nodes = (1...9).map { RequestNode(.user).parameter("id", $0) }
    let report = await manager.concurrently(nodes, limit: 3, onFailure: .cancel) { error in
        (error as? RestClientError)?.status != .unauthorized
    }
    // WS.shared.connect(), emit(text:), WSBindController.bind(…)
    let socket = try await manager.request(.ticks).webSocket()
    try await socket.send("subscribe")
    for try await tick in socket {
        show(tick.price)
    }
    // snippet.hide
    show(owner)
    show(report.values)
}

func surf() async throws {
    // snippet.show
    // ErrorMapperAdapter.map(json:httpCode:)
    manager.options = manager.options.mapError { error in
        if let problem = error.decodedBody(as: Problem.self) { problem } else { error }
    }
    // IteratableContext, ServicePaginator.moveNext(), AsyncPagerIterator.saveState()
    let pager = manager.request(.users).pages(.offset("start").size(20, as: "count")).pager()
    let page = try await pager.moveNext()
    let position = pager.position
    try pager.restore(position)
    // snippet.hide
    show(page?.items ?? [])
}

func apiService() async throws {
    // snippet.show
    // APIService.sendRequest(_:plugins:progressHandler:cacheHandler:completionHandler:)
    manager.request(.user).parameter("id", 7).cache(.thenNetwork)
        .onCacheSuccess { show($0.model) }
        .onSuccess { show($0.model) }
        .resume()
    // APICache(usageMode:expiry:extraCacheKey:), cacheShouldWriteHandler
    let policy = CachePolicy.elseNetwork().storing(for: .seconds(60)).keyed(adding: "beta")
        .storing(where: { response in response.headers[.eTag] != nil })
    let users = try await manager.request(.users).cache(policy).send()
    // APICacheTool
    var configuration = RestClientManager.Configuration()
    configuration.cacheBackend = Shelf()
    let other = RestClientManager(configuration: configuration)
    // snippet.hide
    show(users)
    show(other.servers.all.count)
}

// snippet.show
// intercept(request:response:replaceResponseHandler:)
struct Replacement: Interceptor {
    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let response = try await next(request)
        return response.status == .notFound ? RawResponse(body: Data("[]".utf8)) : response
    }
}
// snippet.hide

// snippet.show
// RequestAdapter.adapt(_:for:completion:); Moya's PluginType.prepare(_:target:); Get's client(_:willSendRequest:)
struct Stamp: Interceptor {
    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        var request = request
        request.headers[.userAgent] = "app/1.0"
        return try await next(request)
    }
}
// snippet.hide

func alamofire() async throws {
    manager.options = manager.options.interceptors(Stamp(), Replacement())
    // snippet.show
    // upload(multipartFormData:to:).uploadProgress { … }
    let form = MultipartForm().field("title", "Harbour").file("photo", "/photos/harbour.jpg")
    let user = try await manager.request(User.self).post("/photos").body(.multipart(form))
        .onProgress(of: .sent) { show($0.transfer.fraction ?? 0) }
        .send()
    // download(_:to:).downloadProgress { … }, download(resumingWith:to:)
    let file = manager.request(Data.self).endpoint("/today.tar").retry(.standard)
    try await file.download(to: "/backups/today.tar") { progress in show(progress.fraction ?? 0) }
    // snippet.hide
    show(user)
}

func urlSession() async throws {
    // snippet.show
    // bytes(for:)
    for try await line in try await manager.request(.users).stream().lines() {
        show(line)
    }
    // webSocketTask(with:), send(_:), receive()
    let socket = try await manager.request(.ticks).webSocket()
    try await socket.send("subscribe")
    while let tick = try await socket.receive() {
        show(tick.price)
    }
    // snippet.hide
}
// snippet.show
