// SPDX-License-Identifier: MIT

public import RestEssentials

extension MultipartForm {
    /// Creates the form that a body contains (RFC 2046, section 5.1, and RFC 7578), for a dummy or a test.
    ///
    /// Files become bytes. In names, `%22`, `%0D` and `%0A` are decoded, as the HTML standard writes them.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - contentType: The value of `Content-Type`, with the boundary.
    /// - Throws: ``RestClientError`` with the code ``RestClientError/Code-swift.struct/invalidMultipart``.
    public init(_ body: Data, contentType: String) throws(RestClientError) {
        guard let type = FieldParameters(contentType.utf8), type.value == "multipart/form-data",
            let text = type.parameters["boundary"]
        else {
            throw Self.defect("its content type is not 'multipart/form-data' with a boundary")
        }
        let boundary = Array("--\(try MultipartBoundary(text).text)".utf8)
        var lines = PartLines(body, boundary: boundary)
        var line = lines.next()
        // What precedes the first boundary means nothing.
        while let found = line, !found.starts(with: boundary) {
            line = lines.next()
        }
        self.init()
        while let found = line {
            let end = found.dropFirst(boundary.count)
            guard !end.starts(with: "--".utf8) else {
                return
            }
            guard end.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else {
                break
            }
            var part = try Self.head(&lines)
            part.content = .bytes(try lines.content())
            parts.append(part)
            line = lines.next()
        }
        throw Self.defect("its last boundary is missing")
    }

    private static func head(_ lines: inout PartLines) throws(RestClientError) -> Part {
        var part = Part(name: "", content: .bytes(Data()))
        while let line = lines.next() {
            guard !line.isEmpty else {
                guard !part.name.isEmpty else {
                    throw defect("a part has no name")
                }
                return part
            }
            let bytes = Array(line)
            guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else {
                throw defect("a header field of a part has no colon")
            }
            let name = String(decoding: bytes[..<colon], as: UTF8.self)
            let value = FieldParameters.text(bytes[(colon + 1)...])
            switch FieldList.token(name) {
            case "content-disposition":
                let disposition = FieldParameters(value.utf8)
                part.name = Part.unescaped(disposition?.parameters["name"] ?? "")
                part.fileName = disposition?.parameters["filename"].map(Part.unescaped)
            case "content-type":
                part.contentType = value
            default:
                part.headers.append(Part.Header(name: name, value: value))
            }
        }
        throw defect("the head of a part has no end")
    }

    fileprivate static func defect(_ reason: String) -> RestClientError {
        RestClientError(.invalidMultipart, "the body cannot be read as a form: \(reason)")
    }
}

private struct PartLines {
    private static let end = BytePattern([0x0D, 0x0A])

    private let boundary: [UInt8]
    /// A boundary at the start of a line, with the end of the line before it.
    private let delimiter: BytePattern
    private var rest: Data

    init(_ body: Data, boundary: [UInt8]) {
        self.boundary = boundary
        delimiter = BytePattern(Self.end.bytes + boundary)
        rest = body
    }

    mutating func next() -> Data? {
        guard !rest.isEmpty else {
            return nil
        }
        let length = Self.end.firstIndex(in: rest.span)
        defer { rest = length.map { rest.dropFirst($0 + 2) } ?? Data() }
        return rest.prefix(length ?? rest.count)
    }

    mutating func content() throws(RestClientError) -> Data {
        guard !rest.starts(with: boundary) else {
            return Data()
        }
        guard let length = delimiter.firstIndex(in: rest.span) else {
            throw MultipartForm.defect("its last boundary is missing")
        }
        defer { rest = rest.dropFirst(length + 2) }
        return Data(rest.prefix(length))
    }
}
