// SPDX-License-Identifier: MIT

import RestEssentials

/// The values of a stream of bytes: the next chunk is requested once all values of the previous one were read.
///
/// A stream that is interrupted fails with its error; its incomplete rest is dropped.
struct ParsedStream<Parser: ChunkParser>: AsyncSequence, Sendable {
    typealias Element = Parser.Value
    typealias Failure = any Error

    private let bytes: ByteStream
    private let makeParser: @Sendable () -> Parser

    init(_ bytes: ByteStream, _ makeParser: @escaping @Sendable () -> Parser) {
        self.bytes = bytes
        self.makeParser = makeParser
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(bytes: bytes.makeAsyncIterator(), parser: makeParser())
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var bytes: ByteStream.Iterator
        fileprivate var parser: Parser
        fileprivate var hasEnded = false

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Parser.Value? {
            while !hasEnded {
                if let value = try parser.next() {
                    return value
                }
                guard let chunk = try await bytes.next(isolation: actor) else {
                    hasEnded = true
                    break
                }
                parser.receive(chunk)
            }
            return try parser.finish()
        }

        mutating func next() async throws -> Parser.Value? {
            try await next(isolation: #isolation)
        }
    }
}

protocol ChunkParser {
    associatedtype Value: Sendable

    mutating func receive(_ chunk: Data)

    /// Returns the next value; `nil` if more bytes are needed.
    mutating func next() throws -> Value?

    /// Returns the next value after the regular end of the bytes; `nil` if there are no more.
    mutating func finish() throws -> Value?
}
