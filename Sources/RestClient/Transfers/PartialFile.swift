// SPDX-License-Identifier: MIT

import Crypto
import RestEssentials

/// The file that a download is written to before it takes its place, with its state beside it.
///
/// Both are the owner's only. The state is written after the bytes that it speaks of are on the disk.
final class PartialFile {
    /// The bytes after which the state is kept anew.
    private static let keepInterval: Int64 = 16 << 20
    private static let pieceSize = 1 << 20

    private let path: String
    private let target: String
    private let descriptor: CInt
    private var unkept: Int64 = 0
    /// True once the file is in its place, or dropped.
    private var isOver = false

    private var statePath: String { path + ".json" }

    /// Opens the file of a download, or creates it; nobody else may have it open.
    ///
    /// - Parameter target: The place that the file will take.
    /// - Throws: ``RestClientError`` with the code ``RestClientError/Code-swift.struct/fileNotWritten``.
    init(for target: String) throws(RestClientError) {
        self.target = target
        path = target + ".partial"
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw Self.failure(target, "cannot be written")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let error = RestClientError(.fileNotWritten, "'\(FileRange(target).name)' is being downloaded already")
            close(descriptor)
            throw error
        }
    }

    deinit {
        close(descriptor)
    }

    /// Returns the kept state, as far as the file bears it out.
    func state(of source: String) -> DownloadState {
        var information = stat()
        guard unsafe fstat(descriptor, &information) == 0,
            let bytes = try? Data(contentsOf: URL(filePath: statePath)),
            let state = try? JSONDecoder().decode(DownloadState.self, from: bytes)
        else {
            return DownloadState(source: source)
        }
        return state.limited(to: Int64(information.st_size), of: source)
    }

    /// Writes bytes at a position.
    func write(_ bytes: Data, at position: Int64) throws(RestClientError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[written...])
                return unsafe pwrite(descriptor, rest.baseAddress, rest.count, off_t(position) + off_t(written))
            }
            guard count > 0 || errno == EINTR else {
                throw Self.failure(target, "cannot be written")
            }
            written += max(0, count)
        }
        unkept += Int64(bytes.count)
    }

    /// Keeps the state if enough was written since.
    func keepIfDue(_ state: DownloadState) throws(RestClientError) {
        if unkept >= Self.keepInterval {
            try keep(state)
        }
    }

    /// Keeps the state for another attempt, or another process.
    func keep(_ state: DownloadState) throws(RestClientError) {
        guard !isOver else {
            return
        }
        guard !state.received.isEmpty else {
            discard()
            return
        }
        guard fsync(descriptor) == 0 else {
            throw Self.failure(target, "cannot be written")
        }
        let next = statePath + ".new"
        // A state holds nothing that cannot be encoded.
        let bytes = try? JSONEncoder().encode(state)
        let isWritten = FileManager.default.createFile(
            atPath: next,
            contents: bytes,
            attributes: [.posixPermissions: 0o600]
        )
        guard isWritten, unsafe rename(next, statePath) == 0 else {
            throw Self.failure(statePath, "cannot be written")
        }
        unkept = 0
    }

    /// Empties the file, and drops the kept state.
    func truncate() throws(RestClientError) {
        try setLength(0)
        unsafe unlink(statePath)
        unkept = 0
    }

    /// Moves the file to its place, once its digests are right; with another digest, it is dropped.
    func finish(length: Int64, digests: [DigestField]) throws(RestClientError) {
        try setLength(length)
        for digest in digests {
            do throws(RestClientError) {
                try digest.check(try self.digest(digest.algorithm, length), of: FileRange(target).name)
            } catch {
                discard()
                throw error
            }
        }
        guard fsync(descriptor) == 0, unsafe rename(path, target) == 0 else {
            throw Self.failure(target, "cannot be written")
        }
        unsafe unlink(statePath)
        isOver = true
    }

    private func discard() {
        isOver = true
        unsafe unlink(path)
        unsafe unlink(statePath)
    }

    private func setLength(_ length: Int64) throws(RestClientError) {
        guard ftruncate(descriptor, off_t(length)) == 0 else {
            throw Self.failure(target, "cannot be written")
        }
    }

    private func digest(_ algorithm: DigestField.Algorithm, _ length: Int64) throws(RestClientError) -> Data {
        switch algorithm {
        case .sha256: try digest(SHA256(), length)
        case .sha512: try digest(SHA512(), length)
        }
    }

    private func digest(_ function: some HashFunction, _ length: Int64) throws(RestClientError) -> Data {
        var function = function
        var position: Int64 = 0
        var piece = Data(count: Self.pieceSize)
        while position < length {
            let count = unsafe piece.withUnsafeMutableBytes { buffer in
                unsafe pread(descriptor, buffer.baseAddress, buffer.count, off_t(position))
            }
            guard count > 0 else {
                throw Self.failure(target, "cannot be read")
            }
            function.update(data: piece.prefix(count))
            position += Int64(count)
        }
        return Data(function.finalize())
    }

    private static func failure(_ path: String, _ what: String) -> RestClientError {
        let reason = unsafe String(cString: strerror(errno))
        return RestClientError(.fileNotWritten, "the file '\(FileRange(path).name)' \(what): \(reason)")
    }
}
