// SPDX-License-Identifier: MIT

/// Encodes the elements of an array.
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
