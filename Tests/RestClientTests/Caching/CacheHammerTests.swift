// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SharedStore
import Synchronization
import TestSupport
import Testing

@testable import RestClient

/// Many calls at once on few entries, and what may be found on disk afterwards.
@Suite(.timeLimit(.minutes(5)))
final class CacheHammerTests {
    /// Where the stored responses lie.
    enum Place: CaseIterable {
        case memory, disk, diskAlone
    }

    private let directory: URL
    private let wall = WallClock()

    init() {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("hammer-\(UUID().uuidString)")
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    private func client(_ place: Place, _ answer: @escaping StubTransport.Handler) throws -> StubbedClient {
        let wall = wall
        let client = StubbedClient(StubTransport(answer)) { configuration in
            configuration.now = { wall.now }
            if place == .diskAlone {
                configuration.cache.memoryByteLimit = 0
            }
        }
        if place != .memory {
            try client.manager.persist(in: directory)
        }
        return client
    }

    /// A response whose parts all say to which request, in which version, they belong.
    private struct Statement: Decodable, Equatable {
        let path: String
        let variant: String
        let version: Int
        let padding: String
    }

    private static let variant = HTTPField.Name("X-Variant") ?? .accept

    @Test(arguments: Place.allCases)
    func `no response is torn, mixed up or too old, whatever is cancelled and changed meanwhile`(
        place: Place
    ) async throws {
        let counter = Counter()
        let client = try client(place) { request in
            await Task.yield()
            guard request.method == .get else {
                return .status(.noContent)
            }
            let path = String(request.url.split(separator: "/").last ?? "")
            let variant = request.headers[Self.variant] ?? ""
            let version = counter.next()
            if let known = request.headers[.ifNoneMatch], version.isMultiple(of: 3) {
                return .status(.notModified, headers: [.eTag: known, .cacheControl: "max-age=5"])
            }
            let padding = String(repeating: "\(version),", count: version % 7 * 400)
            let text = #"{"path":"\#(path)","variant":"\#(variant)","version":\#(version),"padding":"\#(padding)"}"#
            return .text(
                text,
                headers: [.cacheControl: "max-age=5", .vary: "X-Variant", .eTag: "\"\(path)-\(variant)-\(version)\""]
            )
        }
        let wall = wall
        for round in 0..<5 {
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    let (path, variant) = ("\(number % 5)", "\(number % 2)")
                    let node = client.manager.request(Statement.self).endpoint("/{path}").parameter("path", path)
                        .cache()
                        .header(Self.variant, variant)
                    let task = Task {
                        let response = try await node.response()
                        let statement = response.model
                        #expect(statement.path == path)
                        #expect(statement.variant == variant)
                        let unit = "\(statement.version),"
                        #expect(statement.padding == String(repeating: unit, count: statement.version % 7 * 400))
                        #expect(response.headers[.eTag] == "\"\(path)-\(variant)-\(statement.version)\"")
                        if response.cache.outcome == .fresh, let age = response.cache.age {
                            #expect(age < .seconds(5))
                        }
                    }
                    if (number * 7 + round).isMultiple(of: 11) {
                        task.cancel()
                    }
                    if number == 50 {
                        wall.advance(by: 3)
                        group.addTask {
                            let change = client.manager.request(Void.self).put().endpoint("/1")
                            try? await client.manager.run(change)
                        }
                    }
                    group.addTask { _ = await task.result }
                }
            }
        }
        await client.manager.cache.revalidationsFinished()
    }

    @Test(arguments: [Place.disk, .diskAlone])
    func `a hundred calls on ten keys fetch each once in its lifetime, across cancellations and restarts`(
        place: Place
    ) async throws {
        let fetched = Mutex<[String: Int]>([:])
        for lifetime in 1...3 {
            for start in 0..<3 {
                // Each start is a new manager, which knows only what lies on disk.
                let gate = Gate()
                let client = try client(place) { request in
                    try await gate.wait()
                    let path = String(request.url.split(separator: "/").last ?? "")
                    let variant = request.headers[Self.variant] ?? ""
                    let version = fetched.withLock { fetched in
                        fetched["\(path) \(variant)", default: 0] += 1
                        return fetched["\(path) \(variant)"] ?? 0
                    }
                    return .text(
                        #"{"path":"\#(path)","variant":"\#(variant)","version":\#(version),"padding":""}"#,
                        headers: [.cacheControl: "max-age=5", .vary: "X-Variant"]
                    )
                }
                let calls = (0..<100)
                    .map { number in
                        let node = client.manager.request(Statement.self).endpoint("/{path}")
                            .parameter("path", number % 10 / 2).cache().header(Self.variant, "\(number % 2)")
                        return Task { try await node.send() }
                    }
                // The first ten, one for each key, are patient.
                let impatient = (10..<100).filter { ($0 * 7 + lifetime).isMultiple(of: 3) }
                if start == 0 {
                    await client.manager.waitForSharedCalls(100)
                    for number in impatient { calls[number].cancel() }
                }
                gate.open()
                for (number, call) in calls.enumerated() {
                    guard start > 0 || !impatient.contains(number) else {
                        await #expect(throws: CancellationError.self) { try await call.value }
                        continue
                    }
                    let statement = try await call.value
                    #expect(statement.path == "\(number % 10 / 2)")
                    #expect(statement.variant == "\(number % 2)")
                    #expect(statement.version == lifetime)
                }
                #expect(fetched.withLock { $0.count } == 10)
                #expect(fetched.withLock { $0.values.allSatisfy { $0 == lifetime } })
                client.manager.cache.storage.close()
            }
            wall.advance(by: 6)
        }
    }

    @Test(arguments: [Place.disk, .diskAlone])
    func `what must not be stored is not on disk, and no credential is`(place: Place) async throws {
        let client = try client(place) { request in
            if request.url.hasSuffix("/forbidden") {
                return .text("5551555155515551", headers: [.cacheControl: "no-store", .contentLanguage: "f0rbidden"])
            }
            return .text(
                "5552555255525552",
                headers: [.cacheControl: "max-age=5", .setCookie: "session=s3ssion", .vary: "Cookie"]
            )
        }
        for path in ["/forbidden", "/allowed?api_key=k3yinurl"] as [PathTemplate] {
            let node = client.manager.request(Int.self).endpoint(path).cache().bearer("t0ken")
                .header(.cookie, "c00kie=1")
            _ = try await node.send()
            _ = try await node.response()
        }
        client.manager.cache.storage.close()
        var isStored = false
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            let bytes = try Data(contentsOf: directory.appendingPathComponent(name))
            isStored = isStored || bytes.firstRange(of: Data("5552555255525552".utf8)) != nil
            for secret in ["5551555155515551", "f0rbidden", "s3ssion", "t0ken", "c00kie", "k3yinurl"] {
                #expect(bytes.firstRange(of: Data(secret.utf8)) == nil, "\(secret) is in \(name)")
            }
        }
        #expect(isStored)
    }

    @Test
    func `a response that varies, and its session, are found by the next process`() async throws {
        func next() throws -> StubbedClient {
            try client(.disk) { _ in
                .text("1", headers: [.cacheControl: "max-age=5", .setCookie: "session=1", .vary: "X-Variant"])
            }
        }
        func node(_ client: StubbedClient) -> RequestNode<Int> {
            client.manager.request(Int.self).endpoint("/a?token=x").cache().bearer("kim").header(Self.variant, "1")
        }
        let first = try next()
        _ = try await node(first).send()
        let second = try next()
        let response = try await node(second).response()
        #expect(response.source.isCache)
        #expect(response.headers[.setCookie] == "session=1")
        #expect(second.requests.isEmpty)
        let attributes = try FileManager.default.attributesOfItem(
            atPath: directory.appendingPathComponent("response-cache.key").path
        )
        #expect(attributes[.posixPermissions].map { "\($0)" } == "\(0o600)")
    }

    @Test
    func `another secret makes entries of users misses, and is no error`() async throws {
        func next() throws -> StubbedClient {
            try client(.disk) { _ in .text("1", headers: [.cacheControl: "max-age=5", .setCookie: "session=1"]) }
        }
        func node(_ client: StubbedClient) -> RequestNode<Int> {
            client.manager.request(Int.self).endpoint("/a").cache()
        }
        let first = try next()
        _ = try await node(first).send()
        _ = try await node(first).bearer("kim").send()
        let key = directory.appendingPathComponent("response-cache.key")
        for damaged in [Data(), Data("garbage".utf8), Data(repeating: 1, count: 32)] {
            try damaged.write(to: key)
            let second = try next()
            let anonymous = try await node(second).response()
            #expect(anonymous.source.isCache)
            #expect(anonymous.headers[.setCookie] == nil)
            #expect(try await node(second).bearer("kim").response().source == .network)
            #expect(try Data(contentsOf: key).count == 32)
        }
    }
}
