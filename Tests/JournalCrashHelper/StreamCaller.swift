// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A process that streams more than it may hold, and reports by how much its memory grew.
struct StreamCaller {
    private static let chunk = Data(repeating: 7, count: 64 << 10)

    let directory: String
    let server: String
    /// The transfer: `down`, `file`, `up`, `chunks` or `upload`.
    let kind: String

    /// Makes a small transfer, and then a large one.
    ///
    /// - Returns: The growth of the memory in mebibytes; at most 255, which is the greatest status of a process.
    func call() async throws -> Int32 {
        let manager = RestClientManager()
        manager.servers["bulk"] = Server(server)
        manager.defaultServer = "bulk"
        manager.options = manager.options.timeout(.seconds(240))
        try await transfer("small", 4, over: manager)
        let before = Self.peak()
        try await transfer("large", 1_024, over: manager)
        return Int32(clamping: min(255, (Self.peak() - before) >> 20))
    }

    private func transfer(_ size: PathTemplate, _ count: Int, over manager: RestClientManager) async throws {
        let node = manager.request(Data.self).endpoint(size)
        switch kind {
        case "down":
            var sum = 0
            for try await chunk in try await node.stream().bytes {
                sum += chunk.count
            }
            guard sum == count * Self.chunk.count else {
                throw RestClientError(.bodyChanged, "\(sum) bytes came")
            }
        case "file":
            _ = try await node.download(to: directory + "/loaded")
        case "upload":
            let path = directory + "/\(count)"
            try Data().write(to: URL(filePath: path))
            guard unsafe truncate(path, off_t(count * Self.chunk.count)) == 0 else {
                throw RestClientError(.fileNotWritten, "the file of the upload cannot be made longer")
            }
            _ = try await node.put().body(.file(path)).send()
        default:
            let length = kind == "up" ? Int64(count * Self.chunk.count) : nil
            _ = try await node.put().body(.stream(length: length) { Self.chunks(count) }).send()
        }
    }

    private static func chunks(_ count: Int) -> AsyncThrowingStream<Data, any Error> {
        let sent = Atomic(0)
        return AsyncThrowingStream { sent.add(1, ordering: .relaxed).oldValue < count ? chunk : nil }
    }

    /// The most memory that was resident at any time so far, in bytes.
    private static func peak() -> Int {
        var usage = rusage()
        #if canImport(Glibc)
        let status = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
        let status = unsafe getrusage(RUSAGE_SELF, &usage)
        #endif
        guard status == 0 else {
            return 0
        }
        #if canImport(Darwin)
        return usage.ru_maxrss
        #else
        return usage.ru_maxrss << 10
        #endif
    }
}
