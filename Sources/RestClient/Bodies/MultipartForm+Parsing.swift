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
        let boundary = BytePattern(Array("--\(try MultipartBoundary(text).text)".utf8))
        var lines = PartLines(rest: body)
        var line = lines.next()
        // What precedes the first boundary means nothing.
        while let found = line, !found.starts(with: boundary.bytes) {
            line = lines.next()
        }
        self.init()
        while let found = line {
            let end = found.dropFirst(boundary.bytes.count)
            guard !end.starts(with: "--".utf8) else {
                return
            }
            guard end.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else {
                break
            }
            var part = try Self.head(&lines)
            part.content = .bytes(try lines.content(before: boundary))
            self = self.part(part)
            line = lines.next()
        }
        throw Self.defect("its last boundary is missing")
    }

    /// Reads the head of a part, up to the empty line.
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
                throw defect("a part has a line that is no header field")
            }
            let name = String(decoding: bytes[..<colon], as: UTF8.self)
            let value = FieldParameters.text(bytes[(colon + 1)...])
            switch name.lowercased() {
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

    private static func defect(_ reason: String) -> RestClientError {
        RestClientError(.invalidMultipart, "the body cannot be read as a form: \(reason)")
    }
}

extension MultipartForm.Part {
    /// Returns a name that was written by ``escaped(_:)``.
    fileprivate static func unescaped(_ name: String) -> String {
        name.replacing("%22", with: "\"").replacing("%0D", with: "\r").replacing("%0A", with: "\n")
    }
}

/// The lines of a multipart body, which end with CR LF.
private struct PartLines {
    private static let end = BytePattern([0x0D, 0x0A])

    var rest: Data

    /// Returns the next line without its end; `nil` if there is none.
    mutating func next() -> Data? {
        guard !rest.isEmpty else {
            return nil
        }
        let length = Self.end.firstIndex(in: rest.span)
        defer { rest = length.map { rest.dropFirst($0 + 2) } ?? Data() }
        return rest.prefix(length ?? rest.count)
    }

    /// Returns the bytes before the next line that starts with a boundary.
    mutating func content(before boundary: BytePattern) throws(RestClientError) -> Data {
        guard !rest.starts(with: boundary.bytes) else {
            return Data()
        }
        guard let length = BytePattern(Self.end.bytes + boundary.bytes).firstIndex(in: rest.span) else {
            throw RestClientError(.invalidMultipart, "the body cannot be read as a form: its last boundary is missing")
        }
        defer { rest = rest.dropFirst(length + 2) }
        return Data(rest.prefix(length))
    }
}

/// The value of a field, and its parameters (RFC 9110, section 5.6.6).
private struct FieldParameters {
    /// The value, in lower case.
    let value: String
    /// The parameters by their names in lower case; the first of each name.
    private(set) var parameters: [String: String] = [:]

    /// Reads a value; `nil` if a quoted text has no end.
    init?(_ field: some Sequence<UInt8>) {
        var rest = Array(field)[...]
        value = Self.text(Self.take(&rest) { $0 != UInt8(ascii: ";") }).lowercased()
        while rest.popFirst() != nil {
            let name = Self.text(Self.take(&rest) { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }).lowercased()
            guard rest.first == UInt8(ascii: "=") else {
                continue
            }
            rest.removeFirst()
            var content = Self.take(&rest) { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "\"") }
            if rest.first == UInt8(ascii: "\"") {
                rest.removeFirst()
                // No backslash escapes anything here: browsers write it as it is (HTML, "Multipart form data").
                content = Self.take(&rest) { $0 != UInt8(ascii: "\"") }
                guard rest.popFirst() != nil else {
                    return nil
                }
                _ = Self.take(&rest) { $0 != UInt8(ascii: ";") }
                parameters[name] = parameters[name] ?? String(decoding: content, as: UTF8.self)
            } else {
                parameters[name] = parameters[name] ?? Self.text(content)
            }
        }
    }

    /// Returns bytes as text, without the spaces around them.
    static func text(_ bytes: ArraySlice<UInt8>) -> String {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let start = bytes.drop(while: isSpace)
        let end = start.lastIndex { !isSpace($0) } ?? start.startIndex - 1
        return String(decoding: start[...end], as: UTF8.self)
    }

    /// Removes and returns the bytes up to the first one that does not fit.
    private static func take(_ bytes: inout ArraySlice<UInt8>, while fits: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let taken = bytes.prefix(while: fits)
        bytes = bytes[taken.endIndex...]
        return taken
    }
}
