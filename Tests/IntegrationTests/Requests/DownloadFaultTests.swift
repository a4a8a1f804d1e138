// SPDX-License-Identifier: MIT

import Crypto
import RestClient
import RestEssentials
import Synchronization
import TestSupport
import Testing
import TinyDisk

/// Downloads from servers, and to disks, that do what they should not.
@Suite(.timeLimit(.minutes(5)), .eachTransport)
struct DownloadFaultTests {
    private static let old = [UInt8](repeating: 7, count: 600_000)
    private static let new = (0..<900_000).map { UInt8(truncatingIfNeeded: $0 &* 13 >> 2) }

    private let directory: TemporaryDirectory
    private var old: [UInt8] { Self.old }
    private var new: [UInt8] { Self.new }

    init() throws {
        directory = try TemporaryDirectory()
    }

    private var target: String { directory.path("today.tar").path }
    private var partial: String { target + ".partial" }

    private func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: path)))
    }

    /// A policy that repeats at once.
    private func retry(_ attempts: Int) -> RetryPolicy {
        var policy = RetryPolicy(attempts: attempts)
        policy.backoff.first = .zero
        return policy
    }

    /// Loads the beginning of the old file, which the server then cuts.
    private func begin(_ client: LoopbackClient, _ method: HTTPRequest.Method = .get, tag: String = "\"v1\"") async {
        let old = old
        client.server.onAny { _ in
            .stream(headers: ["ETag": tag, "Content-Length": String(old.count)]) {
                try await $0.write(Array(old[..<200_000]))
            }
            .ending(.close)
        }
        await #expect(throws: RestClientError.self) { try await client.request(method, "/").download(to: target) }
    }

    // MARK: - Servers

    @Test
    func `a download whose first attempts bring nothing is attempted again`() async throws {
        try await LoopbackClient.with { client in
            let new = new
            client.server.onAny { request in
                switch request.number {
                case 1: .status(503)
                case 2: .close
                default: .bytes(new)
                }
            }
            try await client.request(.get, "/").retry(retry(3)).download(to: target)
            let bytes = try bytes(target)
            #expect(bytes == new)
            #expect(client.server.requests.count == 3)
        }
    }

    @Test
    func `a file that grows between two attempts is loaded anew, whatever its validator says`() async throws {
        try await LoopbackClient.with { client in
            await begin(client)
            let new = new
            client.server.onAny { request in
                guard let range = request.headers["Range"] else {
                    return .bytes(new, headers: ["ETag": "\"v1\""])
                }
                let start = Int(range.dropFirst("bytes=".count).prefix { $0 != "-" }) ?? 0
                return .bytes(
                    Array(new[start...]),
                    status: 206,
                    headers: ["ETag": "\"v1\"", "Content-Range": "bytes \(start)-\(new.count - 1)/\(new.count)"]
                )
            }
            try await client.request(.get, "/").download(to: target)
            let bytes = try bytes(target)
            #expect(bytes == new)
            #expect(client.server.requests.map { $0.headers["Range"] != nil } == [false, true, false])
        }
    }

    @Test
    func `a file that changes while it is loaded is never joined from two versions`() async throws {
        try await LoopbackClient.with { client in
            let (old, new) = (old, new)
            client.server.onAny { request in
                let isNew = request.number > 2
                let content = isNew ? new : old
                let tag = isNew ? "\"v2\"" : "\"v1\""
                var start = 0
                if let range = request.headers["Range"], request.headers["If-Range"] == tag {
                    start = Int(range.dropFirst("bytes=".count).prefix { $0 != "-" }) ?? 0
                }
                var headers: LoopbackHeaders = ["ETag": tag, "Content-Length": String(content.count - start)]
                if start > 0 {
                    headers["Content-Range"] = "bytes \(start)-\(content.count - 1)/\(content.count)"
                }
                let end = request.number < 4 ? start + 100_000 : content.count
                let part = Array(content[start..<end])
                return
                    .stream(status: start > 0 ? 206 : 200, headers: headers) {
                        try await $0.write(part)
                    }
                    .ending(end < content.count ? .close : .complete)
            }
            try await client.request(.get, "/").retry(retry(2)).download(to: target)
            let bytes = try bytes(target)
            #expect(bytes == new)
            #expect(client.server.requests.count == 4)
        }
    }

    @Test
    func `a server that sends more than the range it names fails the download, and what is right stays`() async throws {
        try await LoopbackClient.with { client in
            await begin(client)
            let old = old
            let isHonest = Mutex(false)
            client.server.onAny { request in
                let start = Int((request.headers["Range"] ?? "").dropFirst("bytes=".count).prefix { $0 != "-" }) ?? 0
                let rest = Array(old[start...])
                let excess = isHonest.withLock { $0 } ? [] : [UInt8](repeating: 1, count: 50_000)
                let headers: LoopbackHeaders = [
                    "ETag": "\"v1\"", "Content-Range": "bytes \(start)-\(old.count - 1)/\(old.count)",
                ]
                // Without a length, so that the framing hides the excess.
                return .stream(status: 206, headers: headers) { try await $0.write(rest + excess) }
            }
            let error = await #expect(throws: RestClientError.self) {
                try await client.request(.get, "/").download(to: target)
            }
            #expect(error?.code == .malformedResponse)
            #expect(error?.request?.method == .get)
            #expect(!directory.names.contains("today.tar"))

            isHonest.withLock { $0 = true }
            try await client.request(.get, "/").download(to: target)
            let bytes = try bytes(target)
            #expect(bytes == old)
        }
    }

    @Test(arguments: ["bytes 0-399999/600000", "bytes 300000-599999/600000", "bytes 200000-599999", "items 1-2/3"])
    func `another range than the one asked for fails the download`(range: String) async throws {
        try await LoopbackClient.with { client in
            await begin(client)
            client.server.onAny { _ in
                .bytes(
                    [UInt8](repeating: 9, count: 400_000),
                    status: 206,
                    headers: ["ETag": "\"v1\"", "Content-Range": range]
                )
            }
            let error = await #expect(throws: RestClientError.self) {
                try await client.request(.get, "/").download(to: target)
            }
            #expect(error?.code == .malformedResponse)
            #expect(!directory.names.contains("today.tar"))
        }
    }

    @Test
    func `a refused range that is all there is ends the download`() async throws {
        try await LoopbackClient.with { client in
            let old = old
            client.server.onAny { request in
                let text = request.headers["Range"]?.dropFirst("bytes=".count).prefix { $0 != "-" }
                let start = text.flatMap { Int($0) } ?? 0
                guard start < old.count else {
                    return .status(416, headers: ["ETag": "\"v1\"", "Content-Range": "bytes */\(old.count)"])
                }
                var headers: LoopbackHeaders = ["ETag": "\"v1\""]
                if start > 0 {
                    headers["Content-Range"] = "bytes \(start)-\(old.count - 1)/*"
                }
                // All bytes, but not the end of the response: nobody knows that these are all.
                let rest = Array(old[start...])
                return .stream(status: start > 0 ? 206 : 200, headers: headers) { try await $0.write(rest) }
                    .ending(.close)
            }
            try await client.request(.get, "/").retry(retry(3)).download(to: target)
            let bytes = try bytes(target)
            #expect(bytes == old)
            #expect(client.server.requests.last?.headers["Range"] == "bytes=\(old.count)-")
        }
    }

    @Test
    func `a body that is coded although that was declined is decoded, and not resumed`() async throws {
        try await LoopbackClient.with { client in
            let new = new
            client.server.onAny { request in
                request.number == 1
                    ? .bytes(new, headers: ["ETag": "\"v1\""]).encoded(.gzip).ending(.reset)
                    : .bytes(new, headers: ["ETag": "\"v1\""]).encoded(.gzip)
            }
            try await client.request(.get, "/").retry(retry(2)).download(to: target)
            let bytes = try bytes(target)
            #expect(bytes == new)
            #expect(client.server.requests.allSatisfy { $0.headers["Range"] == nil })
        }
    }

    @Test
    func `the server's digest of the whole file is checked`() async throws {
        try await LoopbackClient.with { client in
            let new = new
            let digest = Mutex(Data(SHA256.hash(data: new)))
            client.server.onAny { _ in
                .bytes(new, headers: ["Repr-Digest": "sha-256=:\(digest.withLock { $0 }.base64EncodedString()):"])
            }
            try await client.request(.get, "/").download(to: target)
            #expect(client.server.requests.last?.headers["Want-Repr-Digest"] != nil)
            digest.withLock { $0 = Data(SHA256.hash(data: old)) }
            let error = await #expect(throws: RestClientError.self) {
                try await client.request(.get, "/").download(to: target)
            }
            #expect(error?.code == .digestMismatch)
            #expect(directory.names == ["today.tar"])
        }
    }

    @Test
    func `a part of a request with an unsafe method is not asked for again`() async throws {
        try await LoopbackClient.with { client in
            let old = old
            client.server.onAny { _ in
                .stream(headers: ["ETag": "\"v1\"", "Content-Length": String(old.count)]) {
                    try await $0.write(Array(old[..<1_000]))
                }
                .ending(.close)
            }
            await #expect(throws: RestClientError.self) {
                try await client.request(.post, "/").retry(retry(3)).download(to: target)
            }
            #expect(client.server.requests.count == 1)
        }
    }

    @Test
    func `a download with an unsafe method that was cut is one whole request of the next call`() async throws {
        try await LoopbackClient.with { client in
            await begin(client, .post)
            #expect(directory.names.isEmpty)
            let new = new
            client.server.onAny { request in
                guard let range = request.headers["Range"] else {
                    return .bytes(new, headers: ["ETag": "\"v2\""])
                }
                let start = Int(range.dropFirst("bytes=".count).prefix { $0 != "-" }) ?? 0
                return .bytes(
                    Array(new[start...]),
                    status: 206,
                    headers: ["ETag": "\"v2\"", "Content-Range": "bytes \(start)-\(new.count - 1)/\(new.count)"]
                )
            }
            try await client.request(.post, "/").download(to: target)
            let bytes = try bytes(target)
            #expect(bytes == new)
            #expect(client.server.requests.map { $0.headers["Range"] != nil } == [false, false])
            #expect(client.server.requests.allSatisfy { $0.headers["If-Range"] == nil })
        }
    }

    @Test(arguments: [true, false])
    func `a request with an unsafe method is repeated whole if it was refused, or if the policy allows it`(
        isRefused: Bool
    ) async throws {
        try await LoopbackClient.with { client in
            let (old, new) = (old, new)
            client.server.onAny { request in
                guard request.number == 1 else {
                    return .bytes(new, headers: ["ETag": "\"v1\""])
                }
                guard !isRefused else {
                    return .status(429)
                }
                return
                    .stream(headers: ["ETag": "\"v1\"", "Content-Length": String(old.count)]) {
                        try await $0.write(Array(old[..<1_000]))
                    }
                    .ending(.close)
            }
            var policy = retry(2)
            policy.retriesUnsafeWork = !isRefused
            try await client.request(.post, "/").retry(policy).download(to: target)
            let bytes = try bytes(target)
            #expect(bytes == new)
            #expect(client.server.requests.map { $0.headers["Range"] != nil } == [false, false])
        }
    }

    @Test
    func `an error mapper sees the failure, and does not change what is repeated`() async throws {
        struct Mine: Error {}
        try await LoopbackClient.with { client in
            let new = new
            client.server.onAny { $0.number == 1 ? .close : .bytes(new) }
            let node = client.request(.get, "/").mapError { _ in Mine() }
            try await node.retry(retry(2)).download(to: target)
            client.server.onAny { _ in .status(404) }
            await #expect(throws: Mine.self) { try await node.download(to: target) }
            let bytes = try bytes(target)
            #expect(bytes == new)
        }
    }

    // MARK: - Disks

    @Test
    func `what cannot be resumed is not left lying about`() async throws {
        try await LoopbackClient.with { client in
            let old = old
            client.server.onAny { _ in
                .stream(headers: ["Content-Length": String(old.count)]) { try await $0.write(Array(old[..<1_000])) }
                    .ending(.close)
            }
            await #expect(throws: RestClientError.self) { try await client.request(.get, "/").download(to: target) }
            #expect(directory.names.isEmpty)
        }
    }

    @Test(arguments: ["today.tar.partial", "today.tar.partial.json.new"])
    func `a symbolic link in the way leads nowhere`(name: String) async throws {
        let precious = directory.path("precious").path
        try Data("precious".utf8).write(to: URL(filePath: precious))
        try FileManager.default.createSymbolicLink(atPath: directory.path(name).path, withDestinationPath: precious)
        try await LoopbackClient.with { client in
            await begin(client)
            let new = new
            client.server.onAny { _ in .bytes(new) }
            if name.hasSuffix(".partial") {
                let error = await #expect(throws: RestClientError.self) {
                    try await client.request(.get, "/").download(to: target)
                }
                #expect(error?.code == .fileNotWritten)
                #expect(error?.message.contains("symbolic link") == true)
            } else {
                try await client.request(.get, "/").download(to: target)
                let bytes = try bytes(target)
                #expect(bytes == new)
            }
            let untouched = try Data(contentsOf: URL(filePath: precious))
            #expect(untouched == Data("precious".utf8))
        }
    }

    @Test(arguments: [true, false])
    func `what others could have written is not resumed from`(isState: Bool) async throws {
        try await LoopbackClient.with { client in
            await begin(client)
            let file = isState ? partial + ".json" : partial
            try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: file)
            let new = new
            client.server.onAny { _ in .bytes(new, headers: ["ETag": "\"v1\""]) }
            try await client.request(.get, "/").download(to: target)
            let bytes = try bytes(target)
            #expect(bytes == new)
            #expect(client.server.requests.last?.headers["Range"] == nil)
            let rights = try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions]
            #expect(rights as? Int == 0o600)
        }
    }

    @Test
    func `a link in the place of the file is replaced, and not what it leads to`() async throws {
        let precious = directory.path("precious").path
        try Data("precious".utf8).write(to: URL(filePath: precious))
        try FileManager.default.createSymbolicLink(atPath: target, withDestinationPath: precious)
        try await LoopbackClient.with { client in
            let new = new
            client.server.onAny { _ in .bytes(new) }
            try await client.request(.get, "/").download(to: target)
            let (bytes, untouched) = (try bytes(target), try Data(contentsOf: URL(filePath: precious)))
            #expect(bytes == new)
            #expect(untouched == Data("precious".utf8))
        }
    }

    @Test
    func `a folder in the place of the file is an error before the first byte`() async throws {
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
        try await LoopbackClient.with { client in
            let error = await #expect(throws: RestClientError.self) {
                try await client.request(.get, "/").download(to: target)
            }
            #expect(error?.code == .fileNotWritten)
            #expect(client.server.requests.isEmpty)
            #expect(directory.names == ["today.tar"])
        }
    }

    @Test
    func `a damaged state begins anew`() async throws {
        try await LoopbackClient.with { client in
            await begin(client)
            let state = URL(filePath: partial + ".json")
            let text = String(decoding: try Data(contentsOf: state), as: UTF8.self)
            try Data(text.replacing("600000", with: "-5").utf8).write(to: state)
            let new = new
            client.server.onAny { _ in .bytes(new) }
            try await client.request(.get, "/").download(to: target)
            let bytes = try bytes(target)
            #expect(bytes == new)
        }
    }

    @Test(.enabled(if: TinyDisk.isAvailable, "this user may not mount a small file system"), arguments: [1, 4])
    func `a full disk fails the download, which resumes when there is room`(connections: Int) async throws {
        let disk = try TinyDisk(megabytes: 2)
        let target = disk.url.appending(path: "large").path
        let content = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 4) }
        try await LoopbackClient.with { client in
            client.server.onAny { request in
                let text = request.headers["Range"] ?? "bytes=0-"
                let bounds = text.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
                let start = bounds.first ?? 0
                let end = min(bounds.count > 1 ? bounds[1] + 1 : content.count, content.count)
                var headers: LoopbackHeaders = ["ETag": "\"v1\""]
                if request.headers["Range"] != nil {
                    headers["Content-Range"] = "bytes \(start)-\(end - 1)/\(content.count)"
                }
                return .bytes(
                    Array(content[start..<end]),
                    status: request.headers["Range"] == nil ? 200 : 206,
                    headers: headers
                )
            }
            var policy = DownloadPolicy()
            policy.connections = connections
            policy.minimumRange = 400_000
            let node = client.request(.get, "/").retry(retry(3))
            let error = await #expect(throws: RestClientError.self) { try await node.download(to: target, policy) }
            #expect(error?.code == .fileNotWritten)

            try disk.remount("size=32m")
            try await node.download(to: target, policy)
            let bytes = try bytes(target)
            #expect(bytes == content)
        }
    }
}
