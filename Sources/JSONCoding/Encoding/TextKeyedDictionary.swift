// SPDX-License-Identifier: MIT

/// A dictionary whose keys no strategy converts.
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
