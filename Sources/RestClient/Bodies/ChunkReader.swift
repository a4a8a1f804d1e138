// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

/// Reads a body in chunks for sending: one reader for each attempt, used by one task.
final class ChunkReader {
    private enum Source {
        case segments(ArraySlice<BodySegment>, MultipartBoundary?)
        case file(OpenFile, FileRange, FileMeter, BoundaryScanner?, rest: ArraySlice<BodySegment>, MultipartBoundary?)
        case closed(ChunkSource, FileMeter)
        case open(any AsyncIteratorProtocol<Data, any Error>, FileMeter)
        case coded(ChunkReader, DeflatedChunks)
        case end
    }

    private var source: Source

    init(_ body: RequestBody) throws {
        source = try Self.source(body.content)
    }

    private static func source(_ content: RequestBody.Content) throws -> Source {
        switch content {
        case .bytes(let bytes):
            return .segments([.bytes(bytes)], nil)
        case .file(let file):
            return .segments([.file(file)], nil)
        case .multipart(let body):
            return .segments(body.segments[...], body.boundary)
        case .stream(let length, let source):
            return .closed(source, FileMeter(length, of: "the stream of the body"))
        case .coded(let content, let coding):
            return .coded(try ChunkReader(RequestBody(content: content, contentType: nil)), try DeflatedChunks(coding))
        case .form:
            return try self.source(try RequestBody(content: content, contentType: nil).prepared().content)
        }
    }

    /// Returns the next chunk, which is not empty; `nil` at the end.
    func next() async throws -> Data? {
        while true {
            switch source {
            case .segments(let segments, let boundary):
                switch segments.first {
                case nil:
                    source = .end
                case .bytes(let bytes):
                    source = .segments(segments.dropFirst(), boundary)
                    if !bytes.isEmpty {
                        return bytes
                    }
                case .file(let range):
                    let file = try OpenFile(range.path)
                    let meter = FileMeter(range.length, of: "the file '\(range.name)'")
                    let scanner = boundary.map { BoundaryScanner($0) }
                    source = .file(file, range, meter, scanner, rest: segments.dropFirst(), boundary)
                }
            case .file(let file, let range, var meter, var scanner, let rest, let boundary):
                let chunk = try await Self.piece(of: file, range, &meter)
                guard chunk.isEmpty else {
                    scanner?.scan(chunk)
                    if scanner?.hasFound == true {
                        let reason = "the file '\(range.name)' contains the boundary of the form"
                        throw RestClientError(.boundaryInPart, reason)
                    }
                    source = .file(file, range, meter, scanner, rest: rest, boundary)
                    return chunk
                }
                try meter.finish()
                source = .segments(rest, boundary)
            case .closed(let chunks, let meter):
                do {
                    source = .open(try chunks.open().makeAsyncIterator(), meter)
                } catch {
                    throw BodySourceError.wrapping(error)
                }
            case .open(var iterator, var meter):
                let chunk: Data?
                do {
                    chunk = try await iterator.next(isolation: nil)
                } catch {
                    throw BodySourceError.wrapping(error)
                }
                guard let chunk else {
                    // A sequence that ends because its task was cancelled looks complete.
                    try Task.checkCancellation()
                    try meter.finish()
                    source = .end
                    return nil
                }
                try meter.read(chunk.count)
                source = .open(iterator, meter)
                if !chunk.isEmpty {
                    return chunk
                }
            case .coded(let reader, let coder):
                if let chunk = try await coder.next(from: reader) {
                    return chunk
                }
                source = .end
            case .end:
                return nil
            }
        }
    }

    /// Reads the next piece of a file, but nothing beyond its promised length.
    private static func piece(of file: OpenFile, _ range: FileRange, _ meter: inout FileMeter) async throws -> Data {
        let room = meter.remaining.map { Int(min(Int64(FileSlot.pieceSize), $0)) } ?? FileSlot.pieceSize
        guard room > 0 else {
            return Data()
        }
        let chunk = try await file.read(at: range.offset + meter.sent, upTo: room)
        try meter.read(chunk.count)
        return chunk
    }
}

private final class DeflatedChunks {
    private var deflater: Deflater?

    init(_ coding: RequestCoding) throws {
        deflater = try Deflater(format: coding.format)
    }

    func next(from reader: ChunkReader) async throws -> Data? {
        while deflater != nil {
            guard let chunk = try await reader.next() else {
                let output = try deflater?.finish()
                deflater = nil
                return output
            }
            let output = try deflater?.update(chunk) ?? Data()
            if !output.isEmpty {
                return output
            }
        }
        return nil
    }
}

/// Ensures that a file keeps its promised length while it is sent: a pure value.
///
/// The length is in `Content-Length`, and precedes the following parts of a multipart body: a file that became shorter
/// or longer would shift everything after it.
struct FileMeter: Sendable {
    private let length: Int64?
    private let name: String
    private(set) var sent: Int64 = 0

    /// Creates a meter; `name` is that of the source in errors, as in `the file 'a.txt'`.
    init(_ length: Int64?, of name: String) {
        self.length = length
        self.name = name
    }

    var remaining: Int64? { length.map { $0 - sent } }

    mutating func read(_ count: Int) throws(RestClientError) {
        sent += Int64(count)
        if let length, sent > length {
            throw RestClientError(
                .bodyChanged,
                "\(name) became longer than the \(length) bytes that are to be sent"
            )
        }
    }

    func finish() throws(RestClientError) {
        if let length, sent < length {
            throw RestClientError(
                .bodyChanged,
                "\(name) ended after \(sent) of the \(length) bytes that are to be sent"
            )
        }
    }
}

/// Wraps an error of a user's stream, which the transport would otherwise mistake for a network error.
struct BodySourceError: Error {
    let underlying: any Error

    static func wrapping(_ error: any Error) -> any Error {
        error is RestClientError || error is CancellationError ? error : BodySourceError(underlying: error)
    }
}
