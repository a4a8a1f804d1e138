// SPDX-License-Identifier: MIT

struct KeyedWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ValueEncoder

    @inline(__always) var output: JSONOutput { encoder.output }

    var codingPath: [any CodingKey] { output.codingPath(ofContainerAt: encoder.depth) }

    /// `false` if nothing may be written behind the key, because Foundation must encode the value.
    @inline(__always)
    func begin(_ key: some CodingKey) -> Bool {
        guard output.resume(encoder) else {
            return false
        }
        return output.options.usesSnakeCase ? beginConverted(key) : output.beginMember(key.stringValue)
    }

    @inline(__always)
    private func beginNested(_ key: some CodingKey) -> Bool {
        guard begin(key) else {
            return false
        }
        if output.options.usesSnakeCase || key.intValue != nil {
            output.aliases[encoder.depth + 1] = key
        } else if output.hasAliases {
            output.aliases.removeValue(forKey: encoder.depth + 1)
        }
        return true
    }

    @inline(never)
    private func beginConverted(_ key: some CodingKey) -> Bool {
        guard let name = SnakeCase.encoded(key.stringValue) else {
            output.fail()
            return false
        }
        return output.beginMember(name)
    }

    // MARK: - Values

    mutating func encodeNil(forKey key: Key) throws {
        guard begin(key) else {
            return
        }
        output.writeNull()
    }

    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        guard beginNested(key) else {
            return
        }
        try output.encodeNested(value)
    }

    // MARK: - Containers

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(KeyedWriter<NestedKey>(encoder: nested(.object, key)))
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        UnkeyedWriter(encoder: nested(.array, key))
    }

    private func nested(_ state: OutputFrame.State, _ key: Key) -> ValueEncoder {
        guard beginNested(key) else {
            return encoder
        }
        return output.push(state, endsWithParent: true, isPassedOver: true)
    }

    mutating func superEncoder() -> any Encoder { memberEncoder(PathKey.super) }

    mutating func superEncoder(forKey key: Key) -> any Encoder { memberEncoder(key) }

    private func memberEncoder(_ key: some CodingKey) -> any Encoder {
        guard beginNested(key) else {
            return encoder
        }
        return output.push(.empty, endsWithParent: true)
    }
}

// One method for each scalar type: the protocol requires them all.
extension KeyedWriter {
    mutating func encode(_ value: Bool, forKey key: Key) throws { if begin(key) { output.write(value) } }
    mutating func encode(_ value: String, forKey key: Key) throws { if begin(key) { output.write(value) } }
    mutating func encode(_ value: Double, forKey key: Key) throws { if begin(key) { try output.write(value) } }
    mutating func encode(_ value: Float, forKey key: Key) throws { if begin(key) { try output.write(value) } }
    mutating func encode(_ value: Int, forKey key: Key) throws { if begin(key) { output.write(value) } }
    mutating func encode(_ value: Int8, forKey key: Key) throws { if begin(key) { output.write(value) } }
    mutating func encode(_ value: Int16, forKey key: Key) throws { if begin(key) { output.write(value) } }
    mutating func encode(_ value: Int32, forKey key: Key) throws { if begin(key) { output.write(value) } }
    mutating func encode(_ value: Int64, forKey key: Key) throws { if begin(key) { output.write(value) } }
    mutating func encode(_ value: Int128, forKey key: Key) throws { if begin(key) { output.write(value) } }
    mutating func encode(_ value: UInt, forKey key: Key) throws { if begin(key) { output.write(value) } }
    mutating func encode(_ value: UInt8, forKey key: Key) throws { if begin(key) { output.write(value) } }
    mutating func encode(_ value: UInt16, forKey key: Key) throws { if begin(key) { output.write(value) } }
    mutating func encode(_ value: UInt32, forKey key: Key) throws { if begin(key) { output.write(value) } }
    mutating func encode(_ value: UInt64, forKey key: Key) throws { if begin(key) { output.write(value) } }
    mutating func encode(_ value: UInt128, forKey key: Key) throws { if begin(key) { output.write(value) } }
}
