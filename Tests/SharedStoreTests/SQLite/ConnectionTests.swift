// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SharedStore

@Suite struct ConnectionTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func connection() throws -> Connection {
        try DatabaseFile.prepare(folder.file().path)
        return try Connection(file: folder.file().path, mode: .readWrite, busyTimeout: .zero)
    }

    @Test
    func `a query is prepared once for each connection`() throws {
        let query = Query("SELECT 1")
        let (one, other) = (try connection(), try connection())

        #expect(try one.statement(query) === one.statement(query))
        #expect(try one.statement(query) !== other.statement(query))
    }

    @Test
    func `queries keep apart, also when many have come and gone`() throws {
        let connection = try connection()
        for number in 0..<1000 {
            // The query ends with the pass; a later one must not be taken for it because it lies at the same address.
            let statement = try connection.statement(Query("SELECT \(number)"))
            defer { statement.reset() }

            #expect(try statement.step())
            #expect(statement.int(0) == number)
        }
    }

    @Test
    func `a query that cannot be prepared is an error that names file and cause, and is prepared again next time`()
        throws
    {
        let connection = try connection()
        let query = Query("SELECT * FROM nowhere")
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) { try connection.statement(query) }

            #expect(error?.file == folder.file().path)
            #expect(error?.reason.contains("nowhere") == true)
        }
    }
}
