// SPDX-License-Identifier: MIT

import RestEssentials

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
}

extension RequestBody.Content {
    /// The number of bytes on the wire; `nil` if it is not known before they are sent.
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
        switch self {
        case .bytes(let bytes): bytes
        case .coded(let content, _): content.bytes
        case .file, .form, .multipart, .stream: nil
        }
    }

    var uncoded: RequestBody.Content {
        if case .coded(let content, _) = self { content.uncoded } else { self }
    }

    /// A Boolean value that is true if the content can be sent more than once.
    ///
    /// A file counts as repeatable as long as it does not change; ``FileMeter`` detects changes of its length.
    var isRepeatable: Bool {
        switch self {
        case .bytes, .file, .form, .multipart: true
        case .stream(_, let source): source.isRepeatable
        case .coded(let content, _): content.isRepeatable
        }
    }

    private var wasRead: Bool {
        switch self {
        case .bytes, .file, .form, .multipart: false
        case .stream(_, let source): source.wasRead
        case .coded(let content, _): content.wasRead
        }
    }

    var canBeSent: Bool { isRepeatable || !wasRead }

    var codings: [RequestCoding] {
        if case .coded(let content, let coding) = self { content.codings + [coding] } else { [] }
    }
}
