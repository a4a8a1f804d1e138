// SPDX-License-Identifier: MIT

// One method for each scalar type: the protocol requires them all.
extension UnkeyedWriter {
    mutating func encode(_ value: Bool) throws {
        guard begin() else {
            return
        }
        output.write(value)
    }

    mutating func encode(_ value: String) throws {
        guard begin() else {
            return
        }
        output.write(value)
    }

    mutating func encode(_ value: Double) throws {
        guard begin() else {
            return
        }
        try output.write(value)
    }

    mutating func encode(_ value: Float) throws {
        guard begin() else {
            return
        }
        try output.write(value)
    }

    mutating func encode(_ value: Int) throws {
        guard begin() else {
            return
        }
        output.write(value)
    }

    mutating func encode(_ value: Int8) throws {
        guard begin() else {
            return
        }
        output.write(value)
    }

    mutating func encode(_ value: Int16) throws {
        guard begin() else {
            return
        }
        output.write(value)
    }

    mutating func encode(_ value: Int32) throws {
        guard begin() else {
            return
        }
        output.write(value)
    }

    mutating func encode(_ value: Int64) throws {
        guard begin() else {
            return
        }
        output.write(value)
    }

    mutating func encode(_ value: Int128) throws {
        guard begin() else {
            return
        }
        output.write(value)
    }

    mutating func encode(_ value: UInt) throws {
        guard begin() else {
            return
        }
        output.write(value)
    }

    mutating func encode(_ value: UInt8) throws {
        guard begin() else {
            return
        }
        output.write(value)
    }

    mutating func encode(_ value: UInt16) throws {
        guard begin() else {
            return
        }
        output.write(value)
    }

    mutating func encode(_ value: UInt32) throws {
        guard begin() else {
            return
        }
        output.write(value)
    }

    mutating func encode(_ value: UInt64) throws {
        guard begin() else {
            return
        }
        output.write(value)
    }

    mutating func encode(_ value: UInt128) throws {
        guard begin() else {
            return
        }
        output.write(value)
    }
}
