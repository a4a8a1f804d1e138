// SPDX-License-Identifier: MIT

struct UnkeyedWriter: UnkeyedEncodingContainer {
    let encoder: ValueEncoder

    @inline(__always) var output: JSONOutput { encoder.output }

    var codingPath: [any CodingKey] { output.codingPath(ofContainerAt: encoder.depth) }

    var count: Int {
        encoder.depth <= output.top ? unsafe output.frames[encoder.depth].count : 0
    }

    /// Starts an element; `false` if nothing may be written, because Foundation must encode the value.
    @inline(__always)
    func begin() -> Bool {
        guard output.resume(encoder) else {
            return false
        }
        if unsafe output.frames[output.top].count > 0 {
            output.reserve(1)
            output.put(UInt8(ascii: ","))
        }
        unsafe output.frames[output.top].count &+= 1
        return true
    }

    // MARK: - Values

    mutating func encodeNil() throws {
        guard begin() else {
            return
        }
        output.writeNull()
    }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        guard begin() else {
            return
        }
        try output.encodeNested(value)
    }

    // MARK: - Containers

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(KeyedWriter<NestedKey>(encoder: nested(.object)))
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedWriter(encoder: nested(.array))
    }

    private func nested(_ state: OutputFrame.State) -> ValueEncoder {
        begin() ? output.push(state, endsWithParent: true, isPassedOver: true) : encoder
    }

    mutating func superEncoder() -> any Encoder {
        begin() ? output.push(.empty, endsWithParent: true) : encoder
    }
}

// One method for each scalar type: the protocol requires them all.
extension UnkeyedWriter {
    mutating func encode(_ value: Bool) throws { if begin() { output.write(value) } }
    mutating func encode(_ value: String) throws { if begin() { output.write(value) } }
    mutating func encode(_ value: Double) throws { if begin() { try output.write(value) } }
    mutating func encode(_ value: Float) throws { if begin() { try output.write(value) } }
    mutating func encode(_ value: Int) throws { if begin() { output.write(value) } }
    mutating func encode(_ value: Int8) throws { if begin() { output.write(value) } }
    mutating func encode(_ value: Int16) throws { if begin() { output.write(value) } }
    mutating func encode(_ value: Int32) throws { if begin() { output.write(value) } }
    mutating func encode(_ value: Int64) throws { if begin() { output.write(value) } }
    mutating func encode(_ value: Int128) throws { if begin() { output.write(value) } }
    mutating func encode(_ value: UInt) throws { if begin() { output.write(value) } }
    mutating func encode(_ value: UInt8) throws { if begin() { output.write(value) } }
    mutating func encode(_ value: UInt16) throws { if begin() { output.write(value) } }
    mutating func encode(_ value: UInt32) throws { if begin() { output.write(value) } }
    mutating func encode(_ value: UInt64) throws { if begin() { output.write(value) } }
    mutating func encode(_ value: UInt128) throws { if begin() { output.write(value) } }
}
