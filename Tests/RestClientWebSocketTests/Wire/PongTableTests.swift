// SPDX-License-Identifier: MIT

import Testing

@testable import RestClientWebSocket

/// Signs of life, beside the pings that wait for their pongs.
@Suite
struct PongTableTests {
    @Test
    func `bytes are a sign of life until another one is waited for, whoever pings meanwhile`() {
        let table = PongTable()
        #expect(!table.hasHeard)

        table.listen()
        table.hear()
        let numbers = [table.begin().number, table.begin().number]

        #expect(numbers == [1, 2])
        #expect(table.hasHeard)
        table.listen()
        #expect(!table.hasHeard)
    }
}
