// SPDX-License-Identifier: MIT

/// Encodes one value; small enough to be stored inline in an existential, so that passing it allocates nothing.
struct ValueEncoder: Encoder {
    let output: JSONOutput
    private let level: UInt32
    let serial: UInt32

    @inline(__always)
    init(output: JSONOutput, depth: Int, serial: UInt32) {
        self.output = output
        level = UInt32(truncatingIfNeeded: depth)
        self.serial = serial
    }

    @inline(__always) var depth: Int { Int(level) }

    var codingPath: [any CodingKey] { output.codingPath(ofValueAt: depth) }

    var userInfo: [CodingUserInfoKey: Any] { output.options.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedWriter<Key>(encoder: container(.object)))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedWriter(encoder: container(.array))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    @inline(__always)
    private func container(_ state: OutputFrame.State) -> ValueEncoder {
        if output.resume(self) {
            let current = unsafe output.frames[depth].state
            if current == .empty {
                output.open(state)
            } else if current != state {
                output.fail()
            }
        }
        return self
    }
}

extension ValueEncoder: SingleValueEncodingContainer {
    func encodeNil() throws {
        scalar { output.writeNull() }
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        try output.encodeSingle(value, at: self)
    }

    func encode(_ value: Bool) throws { scalar { output.write(value) } }
    func encode(_ value: String) throws { scalar { output.write(value) } }
    func encode(_ value: Double) throws { try scalar { try output.write(value) } }
    func encode(_ value: Float) throws { try scalar { try output.write(value) } }
    func encode(_ value: Int) throws { scalar { output.write(value) } }
    func encode(_ value: Int8) throws { scalar { output.write(value) } }
    func encode(_ value: Int16) throws { scalar { output.write(value) } }
    func encode(_ value: Int32) throws { scalar { output.write(value) } }
    func encode(_ value: Int64) throws { scalar { output.write(value) } }
    func encode(_ value: Int128) throws { scalar { output.write(value) } }
    func encode(_ value: UInt) throws { scalar { output.write(value) } }
    func encode(_ value: UInt8) throws { scalar { output.write(value) } }
    func encode(_ value: UInt16) throws { scalar { output.write(value) } }
    func encode(_ value: UInt32) throws { scalar { output.write(value) } }
    func encode(_ value: UInt64) throws { scalar { output.write(value) } }
    func encode(_ value: UInt128) throws { scalar { output.write(value) } }

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
