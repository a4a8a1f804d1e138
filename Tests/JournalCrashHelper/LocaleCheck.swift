// SPDX-License-Identifier: MIT

import JSONCoding
import RestClient
import RestEssentials

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Writes and reads numbers under the locale of the environment, whose numbers have a decimal comma.
enum LocaleCheck {
    private struct Numbers: Codable, Equatable {
        var decimal = Decimal(12_345_678) / 1_000
        var half = 1.5
        var large = 1e23
        var single: Float = -0.25
    }

    /// Returns 0 if all numbers have a decimal point, 1 if one has not, and 3 if the locale has no decimal comma.
    static func status() async throws -> Int32 {
        guard unsafe setlocale(LC_ALL, "") != nil, unsafe strtod("1,5", nil) == 1.5 else {
            return 3
        }
        let text = Data(#"{"decimal":12345.678,"half":1.5,"large":1e+23,"single":-0.25}"#.utf8)
        let foundation = JSONEncoder()
        foundation.outputFormatting = .sortedKeys
        guard let encoder = DirectJSONEncoder(standingInFor: foundation),
            let decoder = DirectJSONDecoder(standingInFor: JSONDecoder()),
            encoder.encodeDirectly(Numbers()) == text,
            try decoder.decodeDirectly(Numbers.self, from: text) == Numbers(),
            (try? decoder.decode(Double.self, from: Data("1,5".utf8))) == nil
        else {
            return 1
        }
        let manager = RestClientManager()
        manager.servers["store"] = "https://api.example.com"
        manager.defaultServer = "store"
        manager.dummies.mode = .strict
        manager.dummies.register(.get, "/numbers") { .text($0.url) }
        let url = try await manager.request(String.self).endpoint("/numbers").query(["half": 1.5]).send()
        return url.hasSuffix("/numbers?half=1.5") ? 0 : 1
    }
}
