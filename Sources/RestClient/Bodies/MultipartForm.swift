// SPDX-License-Identifier: MIT

public import RestEssentials

/// A form of fields and files, sent as `multipart/form-data` (RFC 7578).
///
/// ```swift
/// MultipartForm()
///     .field("title", "Harbour")
///     .file("photo", "/photos/harbour.jpg")
///     .data("thumbnail", bytes, fileName: "small.png", contentType: "image/png")
/// ```
///
/// A node sends it as its body with `body(.multipart(form))`.
///
/// Parts are sent in the order in which they were added, and several may have the same name. Names and values are sent
/// unchanged, in UTF-8; unlike in browsers, line breaks are not normalized.
public struct MultipartForm: Sendable, Hashable {
    /// The parts in order.
    public var parts: [Part] = []

    /// Creates an empty form.
    public init() {}

    /// Adds a text.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - value: Its value.
    /// - Returns: A changed copy.
    public consuming func field(_ name: String, _ value: String) -> Self {
        parts.append(Part(name: name, content: .bytes(Data(value.utf8))))
        return self
    }

    /// Adds bytes, as a file if they have a file name.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - bytes: The bytes.
    ///   - fileName: The name of the file; none by default.
    ///   - contentType: The media type; by default derived from the file name, none without one.
    ///   - headers: Further header fields of the part.
    /// - Returns: A changed copy.
    public consuming func data(
        _ name: String,
        _ bytes: Data,
        fileName: String? = nil,
        contentType: String? = nil,
        headers: KeyValuePairs<String, String> = [:]
    ) -> Self {
        let type = contentType ?? fileName.map { MediaType.ofFile(named: $0) }
        parts.append(
            Part(name: name, fileName: fileName, contentType: type, headers: headers, content: .bytes(bytes))
        )
        return self
    }

    /// Adds a file, which is read while it is sent.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - path: The path of the file.
    ///   - fileName: The name of the file; the last component of the path by default.
    ///   - contentType: The media type; by default derived from the file name.
    ///   - headers: Further header fields of the part.
    /// - Returns: A changed copy.
    public consuming func file(
        _ name: String,
        _ path: String,
        fileName: String? = nil,
        contentType: String? = nil,
        headers: KeyValuePairs<String, String> = [:]
    ) -> Self {
        let file = FileRange(path)
        let fileName = fileName ?? file.name
        let type = contentType ?? MediaType.ofFile(named: fileName)
        parts.append(
            Part(name: name, fileName: fileName, contentType: type, headers: headers, content: .file(file))
        )
        return self
    }

    /// Returns the form with the lengths of its files, so that its own length is known.
    func resolved(_ length: (String) throws -> Int64) throws -> MultipartForm {
        var form = self
        for index in form.parts.indices {
            if case .file(let file) = form.parts[index].content {
                form.parts[index].content = .file(try file.resolved(try length(file.path)))
            }
        }
        return form
    }
}

extension MultipartForm: MirroredByDescription {
    /// The number of parts and their names, without their content.
    public var description: String {
        let names = (parts.isEmpty ? "" : ": ") + parts.map(\.name).joined(separator: ", ")
        return MessageText.of("a form of \(parts.count) parts" + names)
    }
}

extension MultipartForm {
    /// One field or file of a form.
    public struct Part: Sendable, Hashable {
        /// The bytes of a part.
        public enum Content: Sendable, Hashable {
            /// Bytes in memory.
            case bytes(Data)
            /// A file, which is read while it is sent.
            case file(FileRange)
        }

        /// A header field of a part.
        public struct Header: Sendable, Hashable {
            /// The name.
            public var name: String
            /// The value.
            public var value: String
        }

        /// The name of the field.
        public var name: String

        /// The name of the file; `nil` for a field that is not a file.
        public var fileName: String?

        /// The media type; with `nil` none is sent, which means plain text.
        public var contentType: String?

        /// The header fields in addition to `Content-Disposition` and `Content-Type`.
        public var headers: [Header]

        /// The bytes.
        public var content: Content

        /// Creates a part.
        ///
        /// - Parameters:
        ///   - name: The name of the field.
        ///   - fileName: The name of the file.
        ///   - contentType: The media type.
        ///   - headers: Further header fields.
        ///   - content: The bytes.
        public init(
            name: String,
            fileName: String? = nil,
            contentType: String? = nil,
            headers: KeyValuePairs<String, String> = [:],
            content: Content
        ) {
            self.name = name
            self.fileName = fileName
            self.contentType = contentType
            self.headers = headers.map { Header(name: $0.key, value: $0.value) }
            self.content = content
        }
    }
}

// MARK: - Descriptions

extension MultipartForm.Part: MirroredByDescription {
    /// The name, the name of the file, the media type and the extent of the bytes.
    public var description: String {
        let file = fileName.map { ", file name '\($0)'" } ?? ""
        return MessageText.of("\(name)\(file)\(contentType.map { ", \($0)" } ?? ""): \(content)")
    }
}

extension MultipartForm.Part.Content: MirroredByDescription {
    /// The number of bytes, or the name of the file.
    public var description: String {
        switch self {
        case .bytes(let bytes): "\(bytes.count) bytes"
        case .file(let file): MessageText.of("the file '\(file.name)'")
        }
    }
}

extension MultipartForm.Part.Header: MirroredByDescription {
    /// The name and the value, masked if it is a secret.
    public var description: String { MessageText.of("\(name): \(Redaction.value(of: name, value))") }
}
