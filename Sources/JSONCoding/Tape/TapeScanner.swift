// SPDX-License-Identifier: MIT

internal import RestEssentials

/// Fills the tape in one pass over the text, and rejects everything that RFC 8259 does not allow.
///
/// The text ends with ``padding`` zero bytes. Every loop stops at a zero byte, so it need not check for the end of the
/// text.
@safe struct TapeScanner {
    /// The number of zero bytes behind the text: one step of the scanner reads at most that many bytes.
    static let padding = 16
    /// The depth that Foundation allows.
    static let maximumDepth = 512

    private let start: UnsafePointer<UInt8>
    private let end: UnsafePointer<UInt8>
    var cursor: UnsafePointer<UInt8>

    /// The tape, to be deallocated by the creator of the scanner.
    private(set) var tape: UnsafeMutablePointer<UInt64>
    private(set) var count = 0
    private var capacity: Int

    /// Creates a scanner.
    ///
    /// - Safety: `text` must have `length` bytes and ``padding`` zero bytes behind them, and outlive the scanner.
    @unsafe init(text: UnsafePointer<UInt8>, length: Int) {
        unsafe start = text
        unsafe cursor = text
        unsafe end = text + length
        capacity = max(16, length / 4)
        unsafe tape = .allocate(capacity: capacity)
    }

    mutating func scan() -> Bool {
        var container = TapeWord.outermost
        var isObject = false
        var place = 0
        var depth = 0
        while true {
            var isOpened = false
            switch skipSpace() {
            case UInt8(ascii: "\""):
                guard scanString() else {
                    return false
                }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                guard depth <= Self.maximumDepth else {
                    return false
                }
                isObject = unsafe cursor.pointee == UInt8(ascii: "{")
                container = open(isObject: isObject, in: container, at: place)
                place = 0
                isOpened = true
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                guard scanNumber() else {
                    return false
                }
            case UInt8(ascii: "t"):
                guard scanTrue() else {
                    return false
                }
            case UInt8(ascii: "f"):
                guard scanFalse() else {
                    return false
                }
            case UInt8(ascii: "n"):
                guard scanNull() else {
                    return false
                }
            default:
                return false
            }
            // Behind a value, or at the start of a container that may be empty.
            while true {
                guard container != TapeWord.outermost else {
                    _ = skipSpace()
                    return unsafe cursor == end
                }
                let byte = skipSpace()
                if byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                    unsafe cursor += 1
                    if !isOpened { place += 1 }
                    (container, place) = close(container, isObject: isObject, count: place)
                    isObject = unsafe container != TapeWord.outermost && TapeWord(bits: tape[container]).isObject
                    depth -= 1
                    isOpened = false
                    continue
                }
                if !isOpened {
                    guard byte == UInt8(ascii: ",") else {
                        return false
                    }
                    unsafe cursor += 1
                    place += 1
                }
                break
            }
            if isObject {
                guard scanKey() else {
                    return false
                }
            }
        }
    }

    // MARK: - Containers

    private mutating func open(isObject: Bool, in container: Int, at place: Int) -> Int {
        unsafe cursor += 1
        let index = count
        append(TapeWord(isObject ? .object : .array, count: 0, position: 0).bits)
        append(UInt64(truncatingIfNeeded: container) &<< 32 | UInt64(truncatingIfNeeded: place))
        if isObject {
            append(UInt64(truncatingIfNeeded: index + TapeWord.objectHeader))
        }
        return index
    }

    /// Completes a container's first word and returns to the container around it.
    private mutating func close(_ container: Int, isObject: Bool, count members: Int) -> (container: Int, place: Int) {
        unsafe tape[container] = TapeWord(isObject ? .object : .array, count: members, position: count).bits
        let outer = unsafe tape[container + 1]
        return (Int(truncatingIfNeeded: outer &>> 32), Int(truncatingIfNeeded: outer & 0xFFFF_FFFF))
    }

    @inline(__always)
    private mutating func scanKey() -> Bool {
        guard skipSpace() == UInt8(ascii: "\""), scanString(), skipSpace() == UInt8(ascii: ":"), isComparable else {
            return false
        }
        unsafe cursor += 1
        return true
    }

    /// False if the string that was scanned last has more marks in a row than a key may have, which is compared.
    @inline(__always)
    private var isComparable: Bool {
        let word = unsafe TapeWord(bits: tape[count &- 1])
        guard !word.isPlainString, word.count > 2 * MarkRun.limit else {
            return true
        }
        return unsafe !MarkRun.isExcessive(
            UnsafeBufferPointer(start: start + word.position, count: word.count),
            areEscaped: true
        )
    }

    // MARK: - Literals

    private mutating func scanTrue() -> Bool {
        guard unsafe cursor[1] == UInt8(ascii: "r"), unsafe cursor[2] == UInt8(ascii: "u"),
            unsafe cursor[3] == UInt8(ascii: "e")
        else {
            return false
        }
        appendLiteral(.true, length: 4)
        return true
    }

    private mutating func scanFalse() -> Bool {
        guard unsafe cursor[1] == UInt8(ascii: "a"), unsafe cursor[2] == UInt8(ascii: "l"),
            unsafe cursor[3] == UInt8(ascii: "s"), unsafe cursor[4] == UInt8(ascii: "e")
        else {
            return false
        }
        appendLiteral(.false, length: 5)
        return true
    }

    private mutating func scanNull() -> Bool {
        guard unsafe cursor[1] == UInt8(ascii: "u"), unsafe cursor[2] == UInt8(ascii: "l"),
            unsafe cursor[3] == UInt8(ascii: "l")
        else {
            return false
        }
        appendLiteral(.null, length: 4)
        return true
    }

    private mutating func appendLiteral(_ kind: TapeWord.Kind, length: Int) {
        append(TapeWord(kind, count: 0, position: 0).bits)
        unsafe cursor += length
    }

    // MARK: - The tape

    @inline(__always)
    mutating func append(_ kind: TapeWord.Kind, from first: UnsafePointer<UInt8>, to last: UnsafePointer<UInt8>) {
        unsafe append(TapeWord(kind, count: last - first, position: first - start).bits)
    }

    @inline(__always)
    private mutating func append(_ bits: UInt64) {
        if count == capacity {
            grow()
        }
        unsafe tape[count] = bits
        count &+= 1
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity * 2)
        unsafe larger.update(from: tape, count: count)
        unsafe tape.deallocate()
        unsafe tape = larger
        capacity *= 2
    }

    // MARK: - Space

    /// Moves to the next byte that is not white space, and returns it.
    @inline(__always)
    mutating func skipSpace() -> UInt8 {
        var byte = unsafe cursor.pointee
        while byte <= 0x20 {
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else {
                return byte
            }
            unsafe cursor += 1
            byte = unsafe cursor.pointee
        }
        return byte
    }
}
