// SPDX-License-Identifier: MIT

import RestEssentials

extension JSONValue {
    /// A number with more digits than `Int64` and `Double` hold, or beyond their range.
    ///
    /// Two of the same value are equal.
    public struct Number: Sendable, Hashable, CustomStringConvertible {
        /// The number in decimal, as JSON has it.
        public let description: String

        fileprivate init(_ text: String) {
            description = text
        }

        /// Returns true if both have the same value.
        public static func == (left: Self, right: Self) -> Bool {
            left.description == right.description
                || DecimalText(left.description) == DecimalText(right.description)
        }

        /// Hashes the value.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(DecimalText(description))
        }
    }

    /// Set in a decoder whose numbers are to be written again as they are.
    static let keepsTexts = CodingUserInfoKey(rawValue: "RestClient.keepsTexts")

    /// Creates a number from its text in JSON: the simplest case that has its value.
    package init(number text: String, keepsText: Bool = false) {
        if let whole = Int64(text), whole != 0 || text == "0" {
            self = .int(whole)
            return
        }
        let isWhole = text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || $0.isDigit }
        guard let double = Double(text), double.isFinite, !isWhole || double == 0,
            keepsText ? Self.text(of: double) == text : DecimalText(double.description) == DecimalText(text)
        else {
            self = .number(Number(text))
            return
        }
        if !keepsText, double.magnitude < 0x1p53, let whole = Int64(exactly: double), whole != 0 || double.sign == .plus
        {
            self = .int(whole)
        } else {
            self = .double(double)
        }
    }

    static func text(of number: Double) -> String {
        let text = number.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    package var decimal: DecimalText? {
        switch self {
        case .int(let value): DecimalText(String(value))
        case .double(let value): DecimalText(value.description)
        case .number(let number): DecimalText(number.description)
        default: nil
        }
    }
}

/// The value of a number in decimal: that of `1.50`, `15e-1` and `1.5` is the same.
package struct DecimalText: Hashable, Sendable {
    private var isNegative = false
    /// The digits, without zeros at either end.
    private var digits: [UInt8] = []
    /// The power of ten of the last digit.
    private var exponent = 0

    package init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        if rest.first == UInt8(ascii: "-") {
            isNegative = true
            rest.removeFirst()
        }
        let whole = Self.takeDigits(&rest)
        var fraction: ArraySlice<UInt8> = []
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            fraction = Self.takeDigits(&rest)
            guard !fraction.isEmpty else {
                return nil
            }
        }
        guard !whole.isEmpty else {
            return nil
        }
        if let letter = rest.first, letter | 0x20 == UInt8(ascii: "e") {
            rest.removeFirst()
            let sign = rest.first
            if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
                rest.removeFirst()
            }
            let power = Self.takeDigits(&rest)
            guard !power.isEmpty else {
                return nil
            }
            // A larger power than that makes no difference between numbers.
            let size = min(Int(String(decoding: power, as: UTF8.self)) ?? .max, 1 << 40)
            exponent = sign == UInt8(ascii: "-") ? -size : size
        }
        guard rest.isEmpty else {
            return nil
        }
        digits = Array((whole + fraction).drop { $0 == UInt8(ascii: "0") })
        exponent -= fraction.count
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            exponent += 1
        }
        if digits.isEmpty {
            (isNegative, exponent) = (false, 0)
        }
    }

    private static func takeDigits(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let digits = rest.prefix(while: \.isDigit)
        rest = rest[digits.endIndex...]
        return digits
    }
}
