// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

extension RequestBody {
    /// The kinds of content; bytes need no further allocation here.
    enum Content: Sendable {
        case bytes(Data)
        indirect case file(FileRange)
        indirect case form(MultipartForm)
        indirect case multipart(MultipartBody)
        indirect case stream(length: Int64?, ChunkSource)
        indirect case coded(Content, RequestCoding)
    }

    /// Returns the body for all attempts of a call: files have their lengths, forms their boundary.
    func prepared() throws -> RequestBody {
        var generator = SecureGenerator()
        return try prepared(fileLength: { try OpenFile($0).length }, using: &generator)
    }

    func prepared(
        fileLength: (String) throws -> Int64,
        using generator: inout some RandomNumberGenerator
    ) throws -> RequestBody {
        let content = try content.prepared(fileLength: fileLength, using: &generator)
        return RequestBody(content: content, contentType: contentType ?? content.contentType)
    }

    var hasFixedType: Bool { content.contentType != nil }
}

extension RequestBody.Content {
    var length: Int64? {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .file(let file): file.length
        case .multipart(let body): body.length
        case .stream(let length, _): length
        case .form, .coded: nil
        }
    }

    /// The bytes in memory, before codings; `nil` for all other content.
    var bytes: Data? {
        if case .bytes(let bytes) = uncoded { bytes } else { nil }
    }

    var uncoded: RequestBody.Content {
        if case .coded(let content, _) = self { content.uncoded } else { self }
    }

    private var chunkSource: ChunkSource? {
        if case .stream(_, let source) = uncoded { source } else { nil }
    }

    /// True if the content can be sent more than once: a file as long as ``FileMeter`` detects no change of its length.
    var isRepeatable: Bool { chunkSource?.isRepeatable ?? true }

    var canBeSent: Bool { chunkSource.map { $0.isRepeatable || !$0.wasRead } ?? true }

    var codings: [RequestCoding] {
        if case .coded(let content, let coding) = self { content.codings + [coding] } else { [] }
    }

    fileprivate func prepared(
        fileLength: (String) throws -> Int64,
        using generator: inout some RandomNumberGenerator
    ) throws -> RequestBody.Content {
        switch self {
        case .file(let file):
            .file(try file.resolved(try fileLength(file.path)))
        case .form(let form):
            .multipart(try MultipartBody(form.resolved(fileLength), using: &generator))
        case .coded(let content, let coding):
            .coded(try content.prepared(fileLength: fileLength, using: &generator), coding)
        case .bytes, .multipart, .stream:
            self
        }
    }

    fileprivate var contentType: String? {
        if case .multipart(let body) = uncoded { body.contentType } else { nil }
    }
}

final class ChunkSource: Sendable {
    let isRepeatable: Bool

    private let chunks: @Sendable () throws -> RequestBody.Chunks
    private let hasBegun = Atomic<Bool>(false)

    init(isRepeatable: Bool, _ chunks: @escaping @Sendable () throws -> RequestBody.Chunks) {
        self.isRepeatable = isRepeatable
        self.chunks = chunks
    }

    var wasRead: Bool { hasBegun.load(ordering: .acquiring) }

    /// Returns the chunks from the beginning, unless they were read before and are not repeatable.
    func open() throws -> RequestBody.Chunks {
        let wasRead = hasBegun.exchange(true, ordering: .acquiringAndReleasing)
        guard isRepeatable || !wasRead else {
            throw RestClientError(
                .bodyNotRepeatable,
                "the body is a stream that was read for an earlier request; "
                    + "pass a closure that opens the stream, a file or bytes instead"
            )
        }
        return try chunks()
    }
}
