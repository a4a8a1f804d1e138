// SPDX-License-Identifier: MIT

/// The media types of the usual file formats of responses.
enum MediaType {
    private static let types: [String: String] = [
        "json": "application/json", "geojson": "application/geo+json", "ndjson": "application/x-ndjson",
        "xml": "application/xml", "plist": "application/x-plist", "yaml": "application/yaml", "yml": "application/yaml",
        "txt": "text/plain; charset=utf-8", "html": "text/html; charset=utf-8", "csv": "text/csv; charset=utf-8",
        "md": "text/markdown; charset=utf-8", "css": "text/css", "js": "text/javascript", "pdf": "application/pdf",
        "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
        "svg": "image/svg+xml", "zip": "application/zip", "gz": "application/gzip",
    ]

    /// Returns the media type of a file by its name; the type of arbitrary bytes if the name does not tell.
    static func ofFile(named name: String) -> String {
        let parts = name.split(separator: ".")
        let ending = parts.count > 1 ? parts[parts.count - 1].lowercased() : ""
        return types[ending] ?? "application/octet-stream"
    }
}
