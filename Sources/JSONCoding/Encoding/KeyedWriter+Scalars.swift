// SPDX-License-Identifier: MIT

// One method for each scalar type: the protocol requires them all.
extension KeyedWriter {
    mutating func encode(_ value: Bool, forKey key: Key) throws {
        guard begin(key) else {
            return
        }
        output.write(value)
    }

    mutating func encode(_ value: String, forKey key: Key) throws {
        guard begin(key) else {
            return
        }
        output.write(value)
    }

    mutating func encode(_ value: Double, forKey key: Key) throws {
        guard begin(key) else {
            return
        }
        try output.write(value)
    }

    mutating func encode(_ value: Float, forKey key: Key) throws {
        guard begin(key) else {
            return
        }
        try output.write(value)
    }

    mutating func encode(_ value: Int, forKey key: Key) throws {
        guard begin(key) else {
            return
        }
        output.write(value)
    }

    mutating func encode(_ value: Int8, forKey key: Key) throws {
        guard begin(key) else {
            return
        }
        output.write(value)
    }

    mutating func encode(_ value: Int16, forKey key: Key) throws {
        guard begin(key) else {
            return
        }
        output.write(value)
    }

    mutating func encode(_ value: Int32, forKey key: Key) throws {
        guard begin(key) else {
            return
        }
        output.write(value)
    }

    mutating func encode(_ value: Int64, forKey key: Key) throws {
        guard begin(key) else {
            return
        }
        output.write(value)
    }

    mutating func encode(_ value: Int128, forKey key: Key) throws {
        guard begin(key) else {
            return
        }
        output.write(value)
    }

    mutating func encode(_ value: UInt, forKey key: Key) throws {
        guard begin(key) else {
            return
        }
        output.write(value)
    }

    mutating func encode(_ value: UInt8, forKey key: Key) throws {
        guard begin(key) else {
            return
        }
        output.write(value)
    }

    mutating func encode(_ value: UInt16, forKey key: Key) throws {
        guard begin(key) else {
            return
        }
        output.write(value)
    }

    mutating func encode(_ value: UInt32, forKey key: Key) throws {
        guard begin(key) else {
            return
        }
        output.write(value)
    }

    mutating func encode(_ value: UInt64, forKey key: Key) throws {
        guard begin(key) else {
            return
        }
        output.write(value)
    }

    mutating func encode(_ value: UInt128, forKey key: Key) throws {
        guard begin(key) else {
            return
        }
        output.write(value)
    }
}
