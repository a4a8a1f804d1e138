// SPDX-License-Identifier: MIT

import RestClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A field or a file of a form.
struct FormPart: Decodable {
    static let members = Members(["name", "value", "valueBase64", "file", "filename", "type", "headers"])

    let name: String
    let value: String?
    let valueBase64: String?
    let file: String?
    let filename: String?
    let type: String?
    let headers: [[String]]?

    /// The same part as the library describes it.
    var part: MultipartForm.Part {
        get throws {
            var part = try withoutHeaders
            for (name, value) in try HeaderPair.all(headers) {
                part.headers.append(try Self.header(name.rawName, value))
            }
            return part
        }
    }

    private var withoutHeaders: MultipartForm.Part {
        get throws {
            if let file {
                let form = MultipartForm().file(name, file, fileName: filename, contentType: type)
                if let part = form.parts.first {
                    return part
                }
            }
            var bytes = value.map { Data($0.utf8) }
            if let valueBase64 {
                bytes = Data(base64Encoded: valueBase64)
            }
            guard let bytes else {
                throw WireError(text: "the part '\(name)' needs a value or a file")
            }
            return MultipartForm.Part(name: name, fileName: filename, contentType: type, content: .bytes(bytes))
        }
    }

    /// A field of a part, which only a part can be created with.
    private static func header(_ name: String, _ value: String) throws -> MultipartForm.Part.Header {
        let part = MultipartForm.Part(name: "", headers: [name: value], content: .bytes(Data()))
        guard let header = part.headers.first else {
            throw WireError(text: "the field '\(name)' of a part is missing")
        }
        return header
    }
}
