// SPDX-License-Identifier: MIT

import RestEssentials

/// A form in its encoded shape (RFC 2046, section 5.1, and RFC 7578): a pure value.
///
/// Small contents share a segment with the surrounding lines, large ones are not copied, and files stay files.
struct MultipartBody: Sendable, Hashable {
    /// Contents with more bytes have a segment of their own.
    private static let largestCopy = 16 << 10

    let contentType: String
    let segments: [BodySegment]
    let length: Int64?
    let boundary: MultipartBoundary
    let form: MultipartForm

    init(_ form: MultipartForm, boundary: MultipartBoundary) throws(RestClientError) {
        var segments: [BodySegment] = []
        var pending = Data()
        var scanner = BoundaryScanner(boundary)
        for part in form.parts {
            pending.append(contentsOf: "--\(boundary.text)\r\n".utf8)
            let head = try part.head()
            scanner.reset()
            scanner.scan(head)
            pending.append(head)
            switch part.content {
            case .bytes(let bytes):
                scanner.scan(bytes)
                guard !scanner.hasFound else {
                    throw RestClientError(
                        .boundaryInPart,
                        "the part '\(MultipartForm.Part.escaped(part.name))' contains the boundary of the form"
                    )
                }
                if bytes.count <= Self.largestCopy {
                    pending.append(bytes)
                } else {
                    segments.append(.bytes(pending))
                    segments.append(.bytes(bytes))
                    pending = Data()
                }
            case .file(let file):
                guard !scanner.hasFound else {
                    throw RestClientError(.boundaryInPart, "the head of a part contains the boundary of the form")
                }
                segments.append(.bytes(pending))
                segments.append(.file(file))
                pending = Data()
            }
            pending.append(contentsOf: "\r\n".utf8)
        }
        pending.append(contentsOf: "--\(boundary.text)--\r\n".utf8)
        segments.append(.bytes(pending))
        contentType = "multipart/form-data; boundary=\(boundary.parameter)"
        self.segments = segments
        length = segments.length
        self.boundary = boundary
        self.form = form
    }

    /// Creates the body of a form, with a boundary that none of its in-memory parts contains.
    init(_ form: MultipartForm, using generator: inout some RandomNumberGenerator) throws(RestClientError) {
        for _ in 0..<8 {
            do throws(RestClientError) {
                try self.init(form, boundary: MultipartBoundary(using: &generator))
                return
            } catch {
                guard error.code == .boundaryInPart else {
                    throw error
                }
            }
        }
        throw RestClientError(.boundaryInPart, "no boundary was found that the parts of the form do not contain")
    }
}
