// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

@Suite
struct FileMeterTests {
    @Test
    func `a file of the promised length is whole`() throws {
        var meter = FileMeter(5, of: "the file 'b.bin'")

        try meter.read(2)
        #expect(meter.remaining == 3)
        try meter.read(3)

        try meter.finish()
    }

    @Test
    func `a file that shrinks while it is sent is an error`() throws {
        var meter = FileMeter(5, of: "the file 'b.bin'")
        try meter.read(2)

        let error = #expect(throws: RestClientError.self) { try meter.finish() }

        #expect(error?.code == .bodyChanged)
        #expect(error?.message == "the file 'b.bin' ended after 2 of the 5 bytes that are to be sent")
    }

    @Test
    func `a file that grows while it is sent is an error`() throws {
        var meter = FileMeter(5, of: "the file 'b.bin'")
        try meter.read(5)

        let error = #expect(throws: RestClientError.self) { try meter.read(1) }

        #expect(error?.code == .bodyChanged)
    }

    @Test
    func `a file without a promised length has what it has`() throws {
        var meter = FileMeter(nil, of: "the file")

        try meter.read(7)

        #expect(meter.remaining == nil)
        try meter.finish()
    }

    @Test(arguments: [
        (FileRange("/a"), 10, 10), (FileRange("/a", offset: 4), 10, 6), (FileRange("/a", offset: 4, length: 3), 10, 3),
        (FileRange("/a", offset: 10), 10, 0), (FileRange("/a", offset: -1, length: -1), 10, 0),
    ])
    func `a part of a file is as long as it can be`(file: FileRange, fileLength: Int64, length: Int64) throws {
        #expect(try file.resolved(fileLength).length == length)
    }

    @Test(arguments: [FileRange("/a", offset: 11), FileRange("/a", offset: 8, length: 3), FileRange("/a", length: 11)])
    func `a part beyond the file is an error`(file: FileRange) {
        let error = #expect(throws: RestClientError.self) { try file.resolved(10) }

        #expect(error?.code == .bodyChanged)
    }
}
