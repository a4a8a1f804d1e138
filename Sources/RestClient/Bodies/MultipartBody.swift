// SPDX-License-Identifier: MIT

import RestEssentials

/// A form in its encoded shape (RFC 2046, section 5.1, and RFC 7578): a pure value.
///
/// Small contents share a segment with the surrounding lines, large ones are not copied, and files stay files.
struct MultipartBody: Sendable, Hashable {
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

enum BodySegment: Sendable, Hashable {
    case bytes(Data)
    case file(FileRange)

    var length: Int64? {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .file(let file): file.length
        }
    }
}

extension [BodySegment] {
    /// The total number of bytes; `nil` if that of a file is unknown, or if it overflows.
    var length: Int64? {
        var sum: Int64 = 0
        for segment in self {
            guard let length = segment.length else {
                return nil
            }
            let (total, overflows) = sum.addingReportingOverflow(length)
            guard !overflows else {
                return nil
            }
            sum = total
        }
        return sum
    }
}

/// The text that separates the parts of a multipart body (RFC 2046, section 5.1.1).
struct MultipartBoundary: Sendable, Hashable {
    let text: String

    init(_ text: String) throws(RestClientError) {
        let isValid =
            (1...70).contains(text.utf8.count) && text.utf8.allSatisfy { Self.allowed.contains($0) }
            && text.utf8.last != UInt8(ascii: " ")
        guard isValid else {
            throw RestClientError(
                .invalidMultipart,
                "the boundary of a multipart body has 1 to 70 letters, digits and '()+_,-./:=?, and no space at its end"
            )
        }
        self.text = text
    }

    /// Creates an unpredictable boundary of more than 140 random bits, provided that the generator is secure.
    init(using generator: inout some RandomNumberGenerator) {
        let letters = Array(Self.letters)
        let random = (0..<24).map { _ in letters[Int.random(in: 0..<letters.count, using: &generator)] }
        text = "----form-" + String(random)
    }

    /// The text in `Content-Type`: quoted unless it is a token (RFC 9110, section 5.6.2).
    var parameter: String {
        text.utf8.contains { Self.special.contains($0) } ? "\"\(text)\"" : text
    }

    private static let special = Set("(),/:=? ".utf8)
    private static let letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    private static let allowed = Set((letters + "'()+_,-./:=? ").utf8)
}

/// Searches for the boundary of a multipart body in bytes that arrive in chunks: a pure value.
///
/// In-memory parts are scanned before anything is sent, files while they are sent.
struct BoundaryScanner: Sendable {
    private let pattern: BytePattern
    /// The last bytes, which may be the beginning of the boundary.
    private var tail = Data()

    private(set) var hasFound = false

    init(_ boundary: MultipartBoundary) {
        pattern = BytePattern(Array("--\(boundary.text)".utf8))
    }

    mutating func scan(_ bytes: Data) {
        guard !hasFound, !bytes.isEmpty else {
            return
        }
        let reach = pattern.bytes.count - 1
        hasFound = occurs(in: tail + bytes.prefix(reach)) || occurs(in: bytes)
        tail = bytes.count >= reach ? Data(bytes.suffix(reach)) : Data((tail + bytes).suffix(reach))
    }

    mutating func reset() {
        tail = Data()
        hasFound = false
    }

    private func occurs(in bytes: Data) -> Bool { pattern.firstIndex(in: bytes.span) != nil }
}
