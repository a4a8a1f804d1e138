// SPDX-License-Identifier: MIT

internal import RestEssentials

extension JSONOutput {
    /// The two digits of each number below 100.
    private static let digitPairs: StaticString = """
        00010203040506070809101112131415161718192021222324252627282930313233343536373839\
        40414243444546474849505152535455565758596061626364656667686970717273747576777879\
        8081828384858687888990919293949596979899
        """

    @inline(__always)
    func write(_ value: Bool) {
        reserve(5)
        if value {
            putAll("true")
        } else {
            putAll("false")
        }
    }

    func writeNull() {
        reserve(4)
        putAll("null")
    }

    @inline(__always)
    private func putAll(_ text: StaticString) {
        unsafe (buffer + count).update(from: text.utf8Start, count: text.utf8CodeUnitCount)
        count &+= text.utf8CodeUnitCount
    }

    @inline(__always)
    func write(_ value: some FixedWidthInteger) {
        if let magnitude = UInt64(exactly: value.magnitude) {
            write(magnitude, isNegative: value < 0)
        } else {
            writeText(String(value))
        }
    }

    func write(_ magnitude: UInt64, isNegative: Bool) {
        reserve(24)
        if isNegative {
            put(UInt8(ascii: "-"))
        }
        var rest = magnitude
        guard rest >= 10 else {
            put(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest))
            return
        }
        let length = Self.length(rest)
        var offset = count &+ length
        count = offset
        while rest >= 100 {
            let pair = Int(truncatingIfNeeded: rest % 100)
            rest /= 100
            offset &-= 2
            putPair(pair, at: offset)
        }
        if rest >= 10 {
            putPair(Int(truncatingIfNeeded: rest), at: offset &- 2)
        } else {
            unsafe buffer[offset &- 1] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest)
        }
    }

    @inline(__always)
    private func putPair(_ pair: Int, at offset: Int) {
        let digits = unsafe Self.digitPairs.utf8Start + pair &* 2
        unsafe buffer[offset] = digits[0]
        unsafe buffer[offset &+ 1] = digits[1]
    }

    @inline(__always)
    private static func length(_ number: UInt64) -> Int {
        var length = 1
        var limit: UInt64 = 10
        while length < 20, number >= limit {
            length &+= 1
            limit = limit &* 10
        }
        return number >= 10_000_000_000_000_000_000 ? 20 : length
    }

    // MARK: - Floating point

    /// Writes a number without `.0`; throws if it is infinite or NaN and the strategy does not convert it to a string.
    func write(_ value: Double) throws {
        guard value.isFinite else {
            return try writeNonConforming(isNaN: value.isNaN, isNegative: value < 0)
        }
        let magnitude = value.magnitude
        if magnitude < 9_007_199_254_740_992, let whole = UInt64(exactly: magnitude) {
            write(whole, isNegative: value.sign == .minus)
        } else if !writeShort(magnitude, isNegative: value < 0) {
            writeDescription(value.description)
        }
    }

    /// Writes a number with few digits after the decimal point: no two numbers of at most 15 digits are the same
    /// `Double`, so the one that equals this is the shortest.
    @inline(__always)
    private func writeShort(_ magnitude: Double, isNegative: Bool) -> Bool {
        guard magnitude >= 0.001, magnitude < 1e8 else {
            return false
        }
        var power = 1.0
        for places in 1...7 {
            power *= 10
            let scaled = (magnitude * power).rounded(.toNearestOrEven)
            guard scaled / power == magnitude else {
                continue
            }
            let digits = UInt64(scaled)
            let divisor = UInt64(power)
            write(digits / divisor, isNegative: isNegative)
            reserve(8)
            put(UInt8(ascii: "."))
            var rest = digits % divisor
            var offset = count &+ places
            count = offset
            for _ in 0..<places {
                offset &-= 1
                unsafe buffer[offset] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
            return true
        }
        return false
    }

    func write(_ value: Float) throws {
        guard value.isFinite else {
            return try writeNonConforming(isNaN: value.isNaN, isNegative: value < 0)
        }
        writeDescription(value.description)
    }

    private func writeDescription(_ text: String) {
        writeText(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
    }

    /// Writes text that needs no escapes and no quotation marks.
    func writeText(_ text: String) {
        var text = text
        text.withUTF8 { text in
            reserve(text.count)
            unsafe copy(text)
            count += text.count
        }
    }

    private func writeNonConforming(isNaN: Bool, isNegative: Bool) throws {
        guard case .convertToString(let infinity, let negativeInfinity, let nan) = options.floats else {
            fail()
            throw Unencodable()
        }
        write(isNaN ? nan : isNegative ? negativeInfinity : infinity)
    }
}
