// SPDX-License-Identifier: MIT

import RestEssentials

enum FilePath {
    static func path(of url: URL) throws(StoreError) -> String {
        guard url.isFileURL else {
            throw StoreError(.cannotOpen, "a store needs a file URL, not one with the scheme \(url.scheme ?? "none")")
        }
        let path = url.path
        guard !path.isEmpty, !path.utf8.contains(0), !url.absoluteString.contains("%00") else {
            throw StoreError(.cannotOpen, "the path is empty or contains NUL")
        }
        return path
    }
}
