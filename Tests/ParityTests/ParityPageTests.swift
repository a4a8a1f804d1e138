// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The page about the forerunners, `Docs/parity.md`.
@Suite
struct ParityPageTests {
    private static let others = "Other HTTP clients"
    private static let top = (0..<3).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }

    /// The rows of the tables, each as its columns.
    private func sections() throws -> [String: [[String]]] {
        let text = try String(contentsOf: Self.top.appending(path: "Docs/parity.md"), encoding: .utf8)
        var sections: [String: [[String]]] = [:]
        var title = ""
        for line in text.split(separator: "\n") {
            if line.hasPrefix("## ") {
                title = String(line.dropFirst(3))
            } else if line.hasPrefix("| "), !line.hasPrefix("| #") {
                sections[title, default: []].append(line.split(separator: " | ").map(String.init))
            }
        }
        return sections
    }

    @Test
    func `each capability has a row`() throws {
        let rows = try sections().mapValues { $0.map { $0[0].filter(\.isNumber) } }
        let counts = [
            "HJRestClientManager": 64, "WebServiceSwift": 30, "CodyFire": 25, "CoreNetKit and NodeKit": 28,
            "CSAPIService": 20, Self.others: 42,
        ]
        #expect(rows == counts.mapValues { (1...$0).map(String.init) })
    }

    private let files: Set<String> = {
        let names = ["Tests", "Samples/Tests"]
            .flatMap { folder in
                FileManager.default.enumerator(atPath: Self.top.appending(path: folder).path)?.allObjects ?? []
            }
            .compactMap { ($0 as? String)?.split(separator: "/").last }
        return Set(names.map(String.init))
    }()

    private func expectTests(in column: String, of row: [String]) {
        let tests = column.split(separator: "`").map(String.init).filter { $0.hasSuffix("Tests") }
        #expect(!tests.isEmpty, "\(row)")
        #expect(tests.filter { !files.contains($0 + ".swift") } == [], "\(row)")
    }

    @Test
    func `each row has a mark, and names test files that exist`() throws {
        for row in try sections().filter({ $0.key != Self.others }).values.joined() {
            try #require(row.count == 5, "\(row)")
            #expect(["yes", "better", "instead"].contains(row[3]), "\(row)")
            expectTests(in: row[4], of: row)
        }
    }

    @Test
    func `what other clients have is here with a test, or is said to be missing`() throws {
        for row in try sections()[Self.others] ?? [] {
            try #require(row.count == 9, "\(row)")
            if row[8].hasPrefix("—") {
                #expect(row[7].hasPrefix("no") || row[7].hasPrefix("hook"), "\(row)")
            } else {
                expectTests(in: row[8], of: row)
            }
        }
    }
}
