// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SharedStore

@Suite struct ValueEnvelopeTests {
    @Test
    func `the header is as documented`() throws {
        let header = try ValueEnvelope.header(serialization: .bytes, schemaVersion: 0x0102_0304, codec: "gzip")

        #expect(Array(header) == [0x53, 0xD7, 1, 1, 4, 3, 2, 1, 4] + Array("gzip".utf8))
    }

    @Test
    func `an envelope is read back`() throws {
        let header = try ValueEnvelope.header(serialization: .json, schemaVersion: 7, codec: "é")
        let envelope = try ValueEnvelope(header + Data([9, 8]), key: "k")

        #expect(envelope.serialization == .json)
        #expect(envelope.schemaVersion == 7)
        #expect(envelope.codec == "é")
        #expect(envelope.payload == Data([9, 8]))
        #expect(try envelope.header == header)
    }

    @Test
    func `the number of a change stands behind the codec`() throws {
        let header = try ValueEnvelope.header(
            serialization: .json,
            schemaVersion: 1,
            codec: "x",
            change: 0x0807_0605_0403_0201
        )
        let envelope = try ValueEnvelope(header + Data([9]), key: "k")

        #expect(Array(header) == [0x53, 0xD7, 2, 0, 1, 0, 0, 0, 1, 0x78, 1, 2, 3, 4, 5, 6, 7, 8])
        #expect(envelope.change == 0x0807_0605_0403_0201)
        #expect(envelope.payload == Data([9]))
        #expect(try envelope.header == header)
    }

    @Test(arguments: [nil, 7] as [UInt64?])
    func `the expiry stands behind the number of a change`(change: UInt64?) throws {
        let date = Date(timeIntervalSinceReferenceDate: 800_000_000.25)
        let header = try ValueEnvelope.header(
            serialization: .json,
            schemaVersion: 1,
            codec: "x",
            change: change,
            expiresAt: date
        )
        let envelope = try ValueEnvelope(header + Data([9]), key: "k")

        #expect(header[2] == (change == nil ? 3 : 4))
        #expect(envelope.change == change)
        #expect(envelope.expiresAt == date)
        #expect(envelope.payload == Data([9]))
        #expect(try envelope.header == header)
    }

    @Test(
        arguments: [
            ([], StoreError.Code.corrupt),
            ([0x53, 0xD7, 1, 0, 1, 0, 0, 0], .corrupt),
            ([0x53, 0xD6, 1, 0, 1, 0, 0, 0, 1, 97], .corrupt),
            ([0x53, 0xD7, 5, 0, 1, 0, 0, 0, 1, 97], .newerSchema),
            ([0x53, 0xD7, 3, 0, 1, 0, 0, 0, 1, 97, 1, 2, 3, 4, 5, 6, 7], .corrupt),
            ([0x53, 0xD7, 4, 0, 1, 0, 0, 0, 1, 97] + [UInt8](repeating: 0, count: 15), .corrupt),
            ([0x53, 0xD7, 0, 0, 1, 0, 0, 0, 1, 97], .newerSchema),
            ([0x53, 0xD7, 2, 0, 1, 0, 0, 0, 1, 97, 1, 2, 3, 4, 5, 6, 7], .corrupt),
            ([0x53, 0xD7, 1, 2, 1, 0, 0, 0, 1, 97], .corrupt),
            ([0x53, 0xD7, 1, 0, 1, 0, 0, 0, 0], .corrupt),
            ([0x53, 0xD7, 1, 0, 1, 0, 0, 0, 65] + [UInt8](repeating: 97, count: 65), .corrupt),
            ([0x53, 0xD7, 1, 0, 1, 0, 0, 0, 2, 97], .corrupt),
            ([0x53, 0xD7, 1, 0, 1, 0, 0, 0, 1, 0xFF], .corrupt),
        ] as [([UInt8], StoreError.Code)]
    )
    func `anything else is refused`(_ bytes: [UInt8], _ code: StoreError.Code) {
        let error = #expect(throws: StoreError.self) { try ValueEnvelope(Data(bytes), key: "k") }

        #expect(error?.code == code)
        #expect(error?.key == "k")
    }

    @Test(arguments: ["", String(repeating: "x", count: 65)])
    func `a codec's identifier has 1 to 64 bytes`(_ identifier: String) {
        let error = #expect(throws: StoreError.self) {
            try ValueEnvelope.header(serialization: .json, schemaVersion: 1, codec: identifier)
        }

        #expect(error?.code == .unknownCodec)
    }
}
