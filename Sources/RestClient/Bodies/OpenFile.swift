// SPDX-License-Identifier: MIT

import NIOCore
import NIOPosix
import RestEssentials
import Synchronization

/// A file that is open for reading.
///
/// Reading may block, so it runs on NIO's file threads.
final class OpenFile: Sendable {
    private let descriptor: CInt
    private let path: String

    let length: Int64

    init(_ path: String) throws(RestClientError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Self.failure(path, Self.reason(errno))
        }
        var information = stat()
        let status = unsafe fstat(descriptor, &information)
        // A directory can be opened but not read, and the length of a pipe or a device is unknown.
        guard status == 0, information.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw Self.failure(path, "it is not a regular file; send it as a stream")
        }
        self.descriptor = descriptor
        self.path = path
        length = Int64(information.st_size)
    }

    deinit {
        close(descriptor)
    }

    func read(at position: Int64, upTo count: Int) async throws -> Data {
        try Task.checkCancellation()
        return try await NIOThreadPool.singleton.runIfActive { [self] in
            var bytes = Data(count: count)
            let result = unsafe bytes.withUnsafeMutableBytes { unsafe readNow(at: position, into: $0) }
            let length = try result.get()
            return length == count ? bytes : bytes.prefix(length)
        }
    }

    func read(at position: Int64, upTo count: Int, into slot: FileSlot) async throws -> ByteBuffer {
        try Task.checkCancellation()
        return try await NIOThreadPool.singleton.runIfActive { [self] in
            var result: Result<Int, RestClientError> = .success(0)
            let piece = unsafe slot.fill(upTo: count) { memory in
                result = unsafe readNow(at: position, into: memory)
                return (try? result.get()) ?? 0
            }
            _ = try result.get()
            return piece
        }
    }

    private func readNow(at position: Int64, into memory: UnsafeMutableRawBufferPointer) -> Result<Int, RestClientError>
    {
        var result = 0
        repeat {
            result = unsafe pread(descriptor, memory.baseAddress, memory.count, off_t(position))
        } while result < 0 && errno == EINTR
        return result >= 0 ? .success(result) : .failure(Self.failure(path, Self.reason(errno)))
    }

    static func reason(_ number: CInt) -> String {
        unsafe String(cString: strerror(number))
    }

    private static func failure(_ path: String, _ reason: String) -> RestClientError {
        RestClientError(.bodyUnreadable, "the file '\(FileRange(path).name)' cannot be read: \(reason)")
    }
}

/// The memory of a piece of a file, which is used again once the connection has sent the piece.
///
/// New memory for each piece costs more processor time than its bytes: the system has to clear and to map it.
final class FileSlot: Sendable {
    static let pieceSize = 128 << 10

    private let buffer = Mutex(ByteBuffer())

    /// Fills the memory, or other memory while the last piece is in use.
    func fill(upTo count: Int, _ read: (UnsafeMutableRawBufferPointer) -> Int) -> ByteBuffer {
        buffer.withLock { buffer in
            buffer.clear(minimumCapacity: count)
            unsafe buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { memory in
                unsafe read(UnsafeMutableRawBufferPointer(rebasing: memory.prefix(count)))
            }
            return buffer
        }
    }
}
