// SPDX-License-Identifier: MIT

import BenchmarkSupport
import Foundation
import RestClient

extension HotPath {
    private static let plain = SharedKey<[Int]>("plain")
    private static let key = SealingKey { Data(repeating: 7, count: 32) }
    private static let sealed = SharedKey<[Int]>("sealed", codec: .gzipSealed(key))

    /// Shared values and models.
    static func values() throws -> [HotPath] {
        let data = try manager().sharedData
        let numbers = Array(0..<100)
        let lists = try manager(RecordTransport(count: 100))
        return [
            HotPath(name: "shared value, set and read") { number in
                try data.set(numbers + [number], for: plain)
                expect(try data.value(for: plain)?.last == number)
            },
            HotPath(name: "shared value, gzipped and sealed") { number in
                try data.set(numbers + [number], for: sealed)
                expect(try data.value(for: sealed)?.last == number)
            },
            HotPath(name: "call, model of 100 KB") { number in
                expect(try await lists.request([Record].self).endpoint("/users/\(number)/records").send().count == 100)
            },
            HotPath(name: "call, model sent") { number in
                let order = ["user": "\(number)", "sku": "A-100", "note": "deliver to the \"back\" door"]
                expect(try await lists.request().post().endpoint("/orders").body(order).send().count > 100_000)
            },
        ]
    }
}
