// SPDX-License-Identifier: MIT

import Foundation
import RestClient

/// Exports a listing of many pages as JSON lines: one item a line.
struct JSONLinesExport: Sendable {
    /// An item of the listing.
    struct Item: Codable, Equatable, Sendable {
        let id: Int
        let name: String
    }

    private struct Page: Codable, Sendable {
        let items: [Item]
        let next: Int?
    }

    let manager: RestClientManager

    /// Writes each item as it arrives, so that no more than a page is in memory, and returns the number of items.
    func write(to file: URL) async throws -> Int {
        try Data().write(to: file)
        let output = try FileHandle(forWritingTo: file)
        defer { try? output.close() }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let pages = manager.request(Page.self).get().endpoint("/items")
            .pages(.cursor("after", next: \.next).size(100, as: "limit"), items: \.items)
        var count = 0
        for try await item in pages.items {
            var line = try encoder.encode(item)
            line.append(UInt8(ascii: "\n"))
            try output.write(contentsOf: line)
            count += 1
        }
        return count
    }
}
