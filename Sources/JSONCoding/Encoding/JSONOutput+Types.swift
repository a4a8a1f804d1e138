// SPDX-License-Identifier: MIT

internal import RestEssentials

extension JSONOutput {
    /// Encodes the top of the document, which may not be empty.
    func encode<Value: Encodable>(_ value: Value) throws {
        let isEmptyObject = Value.self == Date.self || Value.self == Data.self
        try encodeSingle(value, at: ValueEncoder(output: self, depth: 0, serial: 0), opensEmpty: isEmptyObject)
    }

    @inline(__always)
    func encodeNested<Value: Encodable>(_ value: Value) throws {
        if try writeKnown(value) {
            return
        }
        let encoder = push(.empty)
        try encode(value, to: encoder)
        pop(encoder)
    }

    /// Encodes a value in place of another that is being written, as an object without members if it encodes nothing
    /// and `opensEmpty` is true.
    func encodeSingle<Value: Encodable>(_ value: Value, at encoder: ValueEncoder, opensEmpty: Bool = true) throws {
        guard resume(encoder) else {
            return
        }
        guard unsafe frames[top].state == .empty else {
            return fail()
        }
        if try writeKnown(value) {
            unsafe frames[top].state = .complete
            return
        }
        try encode(value, to: encoder)
        if resume(encoder), opensEmpty, unsafe frames[top].state == .empty {
            open(.object)
        }
    }

    @inline(__always)
    private func encode<Value: Encodable>(_ value: Value, to encoder: ValueEncoder) throws {
        do {
            if Value.self == Date.self, case .custom(let encode) = options.dates {
                try encode(unsafe unsafeBitCast(value, to: Date.self), encoder)
            } else if Value.self == Data.self, case .custom(let encode) = options.data {
                try encode(unsafe unsafeBitCast(value, to: Data.self), encoder)
            } else {
                try value.encode(to: encoder)
            }
        } catch {
            // The model may catch the error and continue, but the text is incomplete.
            fail()
            throw error
        }
    }

    // MARK: - Known types

    /// Writes a value of a common type, or of one that Foundation treats specially; `false` for other types.
    @inline(__always)
    private func writeKnown<Value: Encodable>(_ value: Value) throws -> Bool {
        if Value.self == String.self {
            write(unsafe unsafeBitCast(value, to: String.self))
        } else if Value.self == Int.self {
            write(unsafe unsafeBitCast(value, to: Int.self))
        } else if Value.self == Double.self {
            try write(unsafe unsafeBitCast(value, to: Double.self))
        } else if Value.self == Bool.self {
            write(unsafe unsafeBitCast(value, to: Bool.self))
        } else if Value.self == [String].self {
            writeArray(unsafe unsafeBitCast(value, to: [String].self))
        } else if Value.self == Date.self {
            return try writeDate(unsafe unsafeBitCast(value, to: Date.self))
        } else if Value.self == Data.self {
            guard case .base64 = options.data else {
                return false
            }
            write(unsafe unsafeBitCast(value, to: Data.self).base64EncodedString())
        } else if Value.self == URL.self {
            write(unsafe unsafeBitCast(value, to: URL.self).absoluteString)
        } else if Value.self == Decimal.self {
            writeText(unsafe unsafeBitCast(value, to: Decimal.self).description)
        } else if options.usesSnakeCase, let dictionary = value as? any TextKeyedDictionary {
            try dictionary.encode(to: self)
        } else if options.usesSnakeCase, value is any ConvertibleDictionary {
            // Releases of Foundation differ, so the current one decides.
            fail()
        } else {
            return false
        }
        return true
    }

    private func writeArray(_ strings: [String]) {
        reserve(2)
        put(UInt8(ascii: "["))
        var isFirst = true
        for string in strings {
            if !isFirst {
                reserve(1)
                put(UInt8(ascii: ","))
            }
            isFirst = false
            write(string)
        }
        reserve(1)
        put(UInt8(ascii: "]"))
    }

    private func writeDate(_ date: Date) throws -> Bool {
        switch options.dates {
        case .deferred, .custom:
            return false
        case .secondsSince1970:
            try writeFinite(date.timeIntervalSince1970)
        case .millisecondsSince1970:
            try writeFinite(1000 * date.timeIntervalSince1970)
        case .iso8601:
            reserve(InternetDate.length + 2)
            if unsafe InternetDate.write(date, to: buffer + count + 1) {
                put(UInt8(ascii: "\""))
                count += InternetDate.length
                put(UInt8(ascii: "\""))
            } else {
                write(date.formatted(.iso8601))
            }
        }
        return true
    }

    /// Writes a number of seconds, to which the strategy for infinite numbers does not apply.
    private func writeFinite(_ value: Double) throws {
        guard value.isFinite else {
            fail()
            throw Unencodable()
        }
        try write(value)
    }
}

/// A dictionary whose keys a strategy converts in some releases of Foundation but not in others.
protocol ConvertibleDictionary {}

extension Dictionary: ConvertibleDictionary where Key: CodingKeyRepresentable, Value: Encodable {}

protocol TextKeyedDictionary {
    func encode(to output: JSONOutput) throws
}

extension Dictionary: TextKeyedDictionary where Key == String, Value: Encodable {
    func encode(to output: JSONOutput) throws {
        let encoder = output.push(.object, isPassedOver: true)
        output.aliases.removeValue(forKey: encoder.depth + 1)
        for (key, value) in self {
            guard output.resume(encoder), output.beginMember(key) else {
                return
            }
            try output.encodeNested(value)
        }
        output.pop(encoder)
    }
}

/// The error for a value that cannot be encoded; Foundation then reports the reason.
struct Unencodable: Error {}
