// SPDX-License-Identifier: MIT

public import RestEssentials

/// The body of a request: bytes, a file, a form or a stream.
///
/// Files and streams are read while they are sent, in pieces, and only as fast as the network accepts them.
///
/// ```swift
/// try await manager.request(.backup).body(.file("/backups/today.tar")).send()
/// try await manager.request(.photos).body(.multipart(MultipartForm().file("photo", "/photos/harbour.jpg"))).send()
/// try await manager.request(.log).body(.stream { tail(of: log) }).send()
/// ```
public struct RequestBody: Sendable {
    /// A sequence of bytes in chunks.
    public typealias Chunks = any AsyncSequence<Data, any Error> & Sendable

    let content: Content

    /// The value of `Content-Type`; `nil` sends none.
    public var contentType: String?

    /// The number of bytes on the wire; `nil` if it is not known before they are sent, so that they are sent in chunks.
    public var length: Int64? { content.length }

    /// The bytes, before a content coding is applied; `nil` if they are not in memory.
    public var bytes: Data? { content.bytes }

    /// A Boolean value that is true if the body can be sent more than once.
    ///
    /// A retry, a redirect with 307 or 308, and the attempt after a token refresh send it again.
    public var isRepeatable: Bool { content.isRepeatable }

    var canBeSent: Bool { content.canBeSent }

    var codings: [RequestCoding] { content.codings }
}

// MARK: - Creating a body

extension RequestBody {
    /// Returns bytes in memory.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - contentType: Their media type.
    /// - Returns: The body.
    public static func bytes(_ bytes: Data, contentType: String? = "application/octet-stream") -> RequestBody {
        RequestBody(content: .bytes(bytes), contentType: contentType)
    }

    /// Returns a file, which is read while it is sent.
    ///
    /// Its length is determined when the call begins: bytes appended later are not sent, and a file that becomes
    /// shorter fails the call with ``RestClientError/Code-swift.struct/bodyChanged``.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - contentType: Its media type; derived from its name by default.
    /// - Returns: The body.
    public static func file(_ path: String, contentType: String? = nil) -> RequestBody {
        file(FileRange(path), contentType: contentType)
    }

    /// Returns a part of a file, which is read while it is sent.
    ///
    /// - Parameters:
    ///   - file: The part of the file.
    ///   - contentType: Its media type; derived from the name of the file by default.
    /// - Returns: The body.
    public static func file(_ file: FileRange, contentType: String? = nil) -> RequestBody {
        RequestBody(content: .file(file), contentType: contentType ?? MediaType.ofFile(named: file.name))
    }

    /// Returns chunks that can be read once: the body cannot be sent again once reading has begun.
    ///
    /// - Parameters:
    ///   - chunks: The chunks.
    ///   - length: The total number of bytes, if it is known; any other number fails the call.
    ///   - contentType: Their media type.
    /// - Returns: The body.
    public static func stream<Source: AsyncSequence & Sendable>(
        _ chunks: Source,
        length: Int64? = nil,
        contentType: String? = "application/octet-stream"
    ) -> RequestBody where Source.Element == Data {
        stream(length, contentType, ChunkSource(isRepeatable: false) { chunks.map { (chunk) throws in chunk } })
    }

    /// Returns chunks that are opened for each attempt.
    ///
    /// - Parameters:
    ///   - length: The total number of bytes, if it is known; any other number fails the call.
    ///   - contentType: Their media type.
    ///   - open: Returns the chunks from the beginning, every time it is called.
    /// - Returns: The body.
    public static func stream(
        length: Int64? = nil,
        contentType: String? = "application/octet-stream",
        _ open: @escaping @Sendable () throws -> Chunks
    ) -> RequestBody {
        stream(length, contentType, ChunkSource(isRepeatable: true, open))
    }

    private static func stream(_ length: Int64?, _ contentType: String?, _ source: ChunkSource) -> RequestBody {
        RequestBody(content: .stream(length: length.map { max(0, $0) }, source), contentType: contentType)
    }

    /// Returns a form, which gets its boundary when the call is sent.
    ///
    /// - Parameter form: The form.
    /// - Returns: The body.
    public static func multipart(_ form: MultipartForm) -> RequestBody {
        RequestBody(content: .form(form), contentType: nil)
    }

    func compressed(_ coding: RequestCoding) -> RequestBody {
        codings.contains(coding) ? self : RequestBody(content: .coded(content, coding), contentType: contentType)
    }
}

extension RequestBody: MirroredByDescription {
    /// The kind of the body and its length, without its content.
    public var description: String { content.description }
}

extension RequestBody.Content {
    fileprivate var description: String {
        switch self {
        case .bytes(let bytes): "\(bytes.count) bytes"
        case .file(let file): "the file '\(file.name)'" + Self.suffix(file.length)
        case .form(let form): form.description
        case .multipart(let body): body.form.description + Self.suffix(body.length)
        case .stream(let length, _): "a stream" + Self.suffix(length)
        case .coded(let content, let coding): "\(content.description), \(coding)"
        }
    }

    private static func suffix(_ length: Int64?) -> String {
        length.map { ", \($0) bytes" } ?? ""
    }
}

extension RequestBody {
    static let collectingLimit = 64 << 20

    /// Returns the bytes before any content coding; `nil` if there are more than the limit.
    ///
    /// The body is read to its end in any case.
    func collected(upTo limit: Int = collectingLimit) async throws -> Data? {
        if let bytes {
            return bytes
        }
        do {
            let reader = try ChunkReader(RequestBody(content: content.uncoded, contentType: nil))
            var bytes: Data? = Data()
            while let chunk = try await reader.next() {
                if let count = bytes?.count, chunk.count <= limit - count {
                    bytes?.append(chunk)
                } else {
                    bytes = nil
                }
            }
            return bytes
        } catch let error as BodySourceError {
            throw error.underlying
        }
    }
}
