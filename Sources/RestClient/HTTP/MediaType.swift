// SPDX-License-Identifier: MIT

package enum MediaType {
    private static let types: [String: String] = [
        "json": "application/json", "geojson": "application/geo+json", "ndjson": "application/x-ndjson",
        "xml": "application/xml", "plist": "application/x-plist", "yaml": "application/yaml", "yml": "application/yaml",
        "txt": "text/plain; charset=utf-8", "html": "text/html; charset=utf-8", "csv": "text/csv; charset=utf-8",
        "md": "text/markdown; charset=utf-8", "css": "text/css", "js": "text/javascript", "pdf": "application/pdf",
        "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
        "svg": "image/svg+xml", "zip": "application/zip", "gz": "application/gzip",
    ]

    static func ofFile(named name: String) -> String {
        let parts = name.split(separator: ".")
        let ending = parts.count > 1 ? parts[parts.count - 1].lowercased() : ""
        return types[ending] ?? "application/octet-stream"
    }

    /// Returns the type of a value of `Content-Type` without its parameters, in lower case; empty if there is none.
    package static func essence(of contentType: String?) -> String {
        contentType.map { FieldList.token(FieldList.essence(of: $0)) } ?? ""
    }

    /// Returns true for JSON itself, and for types that end in `+json` (RFC 6839).
    static func isJSON(_ contentType: String?) -> Bool {
        let type = essence(of: contentType)
        return type == "application/json" || type == "text/json" || type.hasSuffix("+json")
    }
}
