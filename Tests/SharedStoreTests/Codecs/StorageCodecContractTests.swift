// SPDX-License-Identifier: MIT

import Foundation
import SharedStore
import Testing

/// The contract of every codec.
@Suite struct StorageCodecContractTests {
    let context = CodecContext(name: "key", header: Data([1]))

    @Test(arguments: CodecChoice.allCases, [0, 1, 100, 100_000])
    func `what was encoded is decoded`(_ choice: CodecChoice, _ size: Int) throws {
        let data = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 % 7) })

        let encoded = try choice.codec.encode(data, context: context)

        #expect(try choice.codec.decode(encoded, context: context) == data)
        #expect(choice.codec.isCurrent(encoded))
        #expect((1...64).contains(choice.codec.identifier.utf8.count))
    }

    @Test(arguments: CodecChoice.allCases)
    func `a slice of data is as good as data`(_ choice: CodecChoice) throws {
        let data = Data("..value..".utf8).dropFirst(2).dropLast(2)
        let encoded = try choice.codec.encode(data, context: context)
        let slice = (Data([0, 0]) + encoded).dropFirst(2)

        #expect(try choice.codec.decode(slice, context: context) == Data("value".utf8))
        #expect(choice.codec.isCurrent(slice))
    }

    @Test(arguments: [CodecChoice.gzip, .sealed, .gzipSealed])
    func `every flipped bit and every cut is noticed`(_ choice: CodecChoice) throws {
        let data = Data("a value that is worth protecting".utf8)
        let encoded = try choice.codec.encode(data, context: context)

        for index in encoded.indices {
            for bit in 0..<8 {
                var damaged = encoded
                damaged[index] ^= 1 << bit
                // Gzip does not protect its own header's remarks, only the data.
                let decoded = try? choice.codec.decode(damaged, context: context)
                #expect(decoded == nil || (choice == .gzip && decoded == data))
            }
            #expect(throws: StoreError.self) { try choice.codec.decode(encoded.prefix(index), context: context) }
        }
    }
}
