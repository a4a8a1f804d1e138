// SPDX-License-Identifier: MIT

/// Numbers as text: limits of the integers, halves between neighbouring `Double`s, many digits, odd exponents.
package enum RandomNumbers {
    package static let special = [
        "0", "-0", "-0.0", "0e5", "0.0e-400", "1.0", "34.0", "1e0", "1e2", "1.5", "-1", "127", "128", "-128", "-129",
        "255",
        "256", "32767", "32768", "65535", "65536", "2147483647", "2147483648", "-2147483648", "4294967295",
        "4294967296", "9007199254740991", "9007199254740992", "9007199254740993", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
        "18446744073709551616", "170141183460469231731687303715884105727", "170141183460469231731687303715884105728",
        "-170141183460469231731687303715884105728", "340282366920938463463374607431768211455",
        "340282366920938463463374607431768211456", "1e400", "-1e400", "1e-400", "1e308", "1.7976931348623157e308",
        "1.7976931348623159e308", "2.2250738585072014e-308", "4.9e-324", "2.4703282292062327e-324", "5e-324",
        "0.1", "0.30000000000000004", "123456789012345678", "1234567890123456789", "12345678901234567890",
        "1.0000000000000001", "9007199254740992.0", "9007199254740993.0", "1E+2", "1e-2", "100e-2", "1e22", "1e23",
        "3.4028234663852886e38", "3.4028235677973366e38", "1.401298464324817e-45", "16777217", "0.000001",
        "1e5000000000",
        "1e-5000000000", "0e99999999999", "1844674407370955161.5", "1.7014118346046923e38",
    ]

    package static func text(using generator: inout some RandomNumberGenerator) -> String {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: return special[Int.random(in: 0..<special.count, using: &generator)]
        case 1: return String(Int.random(in: -1000...1000, using: &generator))
        case 2: return String(Int(bitPattern: UInt.random(in: 0...UInt.max, using: &generator)))
        case 3: return finite(using: &generator).description.replacing("inf", with: "1")
        case 4:
            let whole = Int.random(in: -10_000...10_000, using: &generator)
            return "\(whole).\(Int.random(in: 0...999_999, using: &generator))"
        case 5: return halfway(using: &generator)
        default:
            var digits = ""
            for _ in 0..<Int.random(in: 1...40, using: &generator) {
                digits += String(Int.random(in: 0...9, using: &generator))
            }
            let first = Int.random(in: 1...9, using: &generator)
            let sign = Bool.random(using: &generator) ? "-" : ""
            let fraction = Bool.random(using: &generator) ? ".\(digits.reversed().map(String.init).joined())" : ""
            let exponent = Bool.random(using: &generator) ? "e\(Int.random(in: -340...320, using: &generator))" : ""
            return "\(sign)\(first)\(digits)\(fraction)\(exponent)"
        }
    }

    static func finite(using generator: inout some RandomNumberGenerator) -> Double {
        let value = Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &generator))
        return value.isFinite ? value : 1.25
    }

    /// A number in the middle between two neighbours, or a last digit beside it.
    private static func halfway(using generator: inout some RandomNumberGenerator) -> String {
        let whole = UInt64.random(in: 1 << 53..<1 << 61, using: &generator)
        let double = Double(whole)
        let middle = UInt64(double) + UInt64(double.ulp) / 2
        return "\(Int.random(in: 0...2, using: &generator) == 0 ? middle - 1 : middle)"
    }
}
