// SPDX-License-Identifier: MIT

import RestEssentials

protocol ChunkParser {
    associatedtype Value: Sendable

    mutating func receive(_ chunk: Data)

    /// Returns the next value; `nil` if more bytes are needed.
    mutating func next() throws -> Value?

    /// Returns the next value after the regular end of the bytes; `nil` if there are no more.
    mutating func finish() throws -> Value?
}
