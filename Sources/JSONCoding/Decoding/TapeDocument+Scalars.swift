// SPDX-License-Identifier: MIT

internal import RestEssentials

// Each function takes the coding path of the value as a closure, since only errors need it.
extension TapeDocument {
    typealias Path = () -> [any CodingKey]

    @inline(__always)
    func boolean(_ word: TapeWord, _ path: Path) throws -> Bool {
        switch word.rawKind {
        case TapeWord.Kind.true.rawValue: return true
        case TapeWord.Kind.false.rawValue: return false
        default: throw mismatch(Bool.self, word, path)
        }
    }

    @inline(__always)
    func string(_ word: TapeWord, _ path: Path) throws -> String {
        guard word.isString else {
            throw unexpected(String.self, word, path)
        }
        return string(word)
    }

    /// A string that is compared or hashed; see ``MarkRun``.
    func comparableString(_ word: TapeWord, _ path: Path) throws -> String {
        let text = try string(word, path)
        guard unsafe word.isPlainString || !MarkRun.isExcessive(bytes(word), areEscaped: true) else {
            throw corrupted("A text to compare has more than \(MarkRun.limit) combining marks in a row.", path())
        }
        return text
    }

    @inline(__always)
    func integer<Value: FixedWidthInteger & Decodable>(_ word: TapeWord, _ path: Path) throws -> Value {
        if let small = smallInteger(word), let value = Value(exactly: small) {
            return value
        }
        return try unusualInteger(word, path)
    }

    @inline(never)
    private func unusualInteger<Value: FixedWidthInteger & Decodable>(_ word: TapeWord, _ path: Path) throws -> Value {
        guard isNumber(word) else {
            throw unexpected(Value.self, word, path)
        }
        // Like Foundation, accept `34.0` as an integer, up to where `Double` has gaps between integers.
        if word.rawKind == TapeWord.Kind.decimal.rawValue, let double = exactDouble(word),
            double.magnitude < 9_007_199_254_740_992, let value = Value(exactly: double)
        {
            return value
        }
        return try foundationNumber(word)
    }

    @inline(__always)
    func double(_ word: TapeWord, _ path: Path) throws -> Double {
        if isNumber(word), let value = exactDouble(word) {
            return value
        }
        return try unusualDouble(word, path)
    }

    @inline(never)
    private func unusualDouble(_ word: TapeWord, _ path: Path) throws -> Double {
        if isNumber(word) {
            // Foundation decides about values that are subnormal, infinite, or rounded to zero.
            let value = Double(string(word))
            if let value, value.isNormal {
                return value
            }
            return try foundationNumber(word)
        }
        if let value = nonConformingNumber(word, as: Double.self) {
            return value
        }
        throw unexpected(Double.self, word, path)
    }

    func float(_ word: TapeWord, _ path: Path) throws -> Float {
        if isNumber(word) {
            if let value = exactFloat(word) {
                return value
            }
            if let value = Float(string(word)), value.isNormal {
                return value
            }
            return try foundationNumber(word)
        }
        if let value = nonConformingNumber(word, as: Float.self) {
            return value
        }
        throw unexpected(Float.self, word, path)
    }

    // MARK: - Numbers

    @inline(__always)
    func isNumber(_ word: TapeWord) -> Bool {
        word.rawKind == TapeWord.Kind.integer.rawValue || word.rawKind == TapeWord.Kind.decimal.rawValue
    }

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    /// The value of a number whose digits and power of ten are both exact as `Double`, so that it is rounded only once.
    @inline(__always)
    private func exactDouble(_ word: TapeWord) -> Double? {
        guard let number = decimalNumber(word), number.digits <= 1 << 53, (-22...22).contains(number.exponent),
            // Foundation rejects some zeros that have an exponent.
            number.digits != 0 || !number.hasExponent
        else {
            return nil
        }
        let digits = Double(number.digits)
        let magnitude =
            number.exponent < 0
            ? digits / Self.powersOfTen[-number.exponent] : digits * Self.powersOfTen[number.exponent]
        return number.isNegative ? -magnitude : magnitude
    }

    private static let smallPowersOfTen: [Float] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10]

    private func exactFloat(_ word: TapeWord) -> Float? {
        guard let number = decimalNumber(word), number.digits <= 1 << 24, (-10...10).contains(number.exponent),
            number.digits != 0 || !number.hasExponent
        else {
            return nil
        }
        let digits = Float(number.digits)
        let magnitude =
            number.exponent < 0
            ? digits / Self.smallPowersOfTen[-number.exponent] : digits * Self.smallPowersOfTen[number.exponent]
        return number.isNegative ? -magnitude : magnitude
    }

    func foundationNumber<Value: Decodable>(_ word: TapeWord) throws -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: unsafe Data(bytes(word)))
        } catch {
            throw NumberNotRepresentable(error: error)
        }
    }

    private func nonConformingNumber<Value: BinaryFloatingPoint>(_ word: TapeWord, as type: Value.Type) -> Value? {
        guard case .convertFromString(let infinity, let negativeInfinity, let nan) = options.floats,
            word.isString, word.rawKind != TapeWord.Kind.escapedString.rawValue
        else {
            return nil
        }
        // Compare bytes: strings that are only canonically equivalent do not match.
        let text = unsafe bytes(word)
        if unsafe text.elementsEqual(infinity.utf8) {
            return .infinity
        }
        if unsafe text.elementsEqual(negativeInfinity.utf8) {
            return -.infinity
        }
        return unsafe text.elementsEqual(nan.utf8) ? .nan : nil
    }
}

/// The error for a number that does not fit the requested type, which code of models sees, as with Foundation; the call
/// to decode then throws the `DecodingError` that Foundation has for the number alone.
struct NumberNotRepresentable: Error {
    let error: any Error
}
