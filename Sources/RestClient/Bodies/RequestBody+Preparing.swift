// SPDX-License-Identifier: MIT

import RestEssentials

extension RequestBody {
    /// Returns the body for all attempts of a call: files have their lengths, forms their boundary.
    ///
    /// - Throws: ``RestClientError`` if a file cannot be read, or a form cannot be sent.
    func prepared() throws -> RequestBody {
        var generator = SecureGenerator()
        return try prepared(fileLength: { try OpenFile($0).length }, using: &generator)
    }

    /// Returns the body for all attempts of a call: files have their lengths, forms their boundary.
    ///
    /// - Parameters:
    ///   - fileLength: Returns the length of the file at a path.
    ///   - generator: The source of a form's boundary.
    /// - Returns: The body.
    /// - Throws: The closure's error, and ``RestClientError`` for a form that cannot be sent, and for a file that is
    ///   shorter than its range.
    func prepared(
        fileLength: (String) throws -> Int64,
        using generator: inout some RandomNumberGenerator
    ) throws -> RequestBody {
        let content = try content.prepared(fileLength: fileLength, using: &generator)
        return RequestBody(content: content, contentType: contentType ?? content.contentType)
    }

    /// A Boolean value that is true if only the body's own media type can describe it.
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

    /// The media type that the content determines.
    fileprivate var contentType: String? {
        switch self {
        case .multipart(let body): body.contentType
        case .coded(let content, _): content.contentType
        case .bytes, .file, .form, .stream: nil
        }
    }
}
