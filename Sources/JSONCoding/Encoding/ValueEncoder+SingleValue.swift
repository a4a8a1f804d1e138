// SPDX-License-Identifier: MIT

extension ValueEncoder: SingleValueEncodingContainer {
    func encodeNil() throws {
        scalar { output.writeNull() }
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        try output.encodeSingle(value, at: self)
    }

    func encode(_ value: Bool) throws {
        scalar { output.write(value) }
    }

    func encode(_ value: String) throws {
        scalar { output.write(value) }
    }

    func encode(_ value: Double) throws {
        try scalar { try output.write(value) }
    }

    func encode(_ value: Float) throws {
        try scalar { try output.write(value) }
    }

    func encode(_ value: Int) throws {
        scalar { output.write(value) }
    }

    func encode(_ value: Int8) throws {
        scalar { output.write(value) }
    }

    func encode(_ value: Int16) throws {
        scalar { output.write(value) }
    }

    func encode(_ value: Int32) throws {
        scalar { output.write(value) }
    }

    func encode(_ value: Int64) throws {
        scalar { output.write(value) }
    }

    func encode(_ value: Int128) throws {
        scalar { output.write(value) }
    }

    func encode(_ value: UInt) throws {
        scalar { output.write(value) }
    }

    func encode(_ value: UInt8) throws {
        scalar { output.write(value) }
    }

    func encode(_ value: UInt16) throws {
        scalar { output.write(value) }
    }

    func encode(_ value: UInt32) throws {
        scalar { output.write(value) }
    }

    func encode(_ value: UInt64) throws {
        scalar { output.write(value) }
    }

    func encode(_ value: UInt128) throws {
        scalar { output.write(value) }
    }

    func encode(numberText text: String) {
        scalar { output.writeText(text) }
    }

    @inline(__always)
    private func scalar(_ write: () throws -> Void) rethrows {
        guard output.resume(self) else {
            return
        }
        guard unsafe output.frames[depth].state == .empty else {
            return output.fail()
        }
        unsafe output.frames[depth].state = .complete
        try write()
    }
}
