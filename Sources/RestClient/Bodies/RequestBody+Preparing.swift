// SPDX-License-Identifier: MIT

import RestEssentials

extension RequestBody {
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
        switch self {
        case .multipart(let body): body.contentType
        case .coded(let content, _): content.contentType
        case .bytes, .file, .form, .stream: nil
        }
    }
}
