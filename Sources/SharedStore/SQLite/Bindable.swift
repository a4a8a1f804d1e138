// SPDX-License-Identifier: MIT

import CSQLite
import RestEssentials

protocol Bindable {
    /// Binds the value to a parameter, from 1, and returns SQLite's result code.
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32
}

extension Int64: Bindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        unsafe sqlite3_bind_int64(statement, index, self)
    }
}

extension Int: Bindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        unsafe Int64(self).bind(to: statement, at: index)
    }
}

extension UInt64: Bindable {
    /// Binds the bit pattern, so that the whole range is preserved.
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        unsafe Int64(bitPattern: self).bind(to: statement, at: index)
    }
}

extension Date: Bindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        unsafe sqlite3_bind_double(statement, index, timeIntervalSinceReferenceDate)
    }
}

extension String: Bindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        var text = self
        return text.withUTF8 { bytes in unsafe bytes.bindAsText(to: statement, at: index) }
    }
}

extension Data: Bindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        guard !isEmpty else {
            return unsafe sqlite3_bind_zeroblob(statement, index, 0)
        }
        return unsafe withUnsafeBytes { bytes in
            unsafe sqlite3_bind_blob64(statement, index, bytes.baseAddress, UInt64(bytes.count), copies)
        }
    }
}

extension Optional: Bindable where Wrapped: Bindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        unsafe self?.bind(to: statement, at: index) ?? sqlite3_bind_null(statement, index)
    }
}

extension Statement {
    /// A blob of zero bytes, to be filled through ``Connection/writeBlob(_:table:column:row:)``.
    struct ZeroBytes: Bindable {
        let count: Int

        func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
            unsafe sqlite3_bind_zeroblob64(statement, index, UInt64(count))
        }
    }

    /// The first key after all keys with a prefix, or NULL if there is none.
    ///
    /// UTF-8 has no byte 0xFF, so the last byte can always be raised. The bytes are bound as text, valid or not.
    struct UpperBound: Bindable {
        let prefix: String

        func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
            var bytes = Array(prefix.utf8)
            guard let last = bytes.popLast() else {
                return unsafe sqlite3_bind_null(statement, index)
            }
            bytes.append(last + 1)
            return unsafe bytes.withUnsafeBufferPointer { bytes in unsafe bytes.bindAsText(to: statement, at: index) }
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func bindAsText(to statement: OpaquePointer, at index: Int32) -> Int32 {
        guard !isEmpty else {
            return unsafe sqlite3_bind_text(statement, index, "", 0, nil)
        }
        return unsafe withMemoryRebound(to: CChar.self) { characters in
            unsafe sqlite3_bind_text64(
                statement,
                index,
                characters.baseAddress,
                UInt64(characters.count),
                copies,
                UInt8(SQLITE_UTF8)
            )
        }
    }
}

/// Makes SQLite copy a bound value before the call returns.
private var copies: sqlite3_destructor_type {
    unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
