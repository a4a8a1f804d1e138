// SPDX-License-Identifier: MIT

public import RestEssentials

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
