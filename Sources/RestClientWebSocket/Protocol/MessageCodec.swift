// SPDX-License-Identifier: MIT

import NIOCore
import NIOFoundationEssentialsCompat
import RestClient
import RestEssentials
import SharedStore

/// Compresses the messages of one connection (RFC 7692, section 7.2); for one event loop.
final class MessageCodec {
    /// The end of each flushed message, which is not sent.
    private static let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]

    /// Messages with fewer bytes are sent as they are.
    static let threshold = 32

    private let terms: CompressionTerms
    private var inflater: Inflater
    private var deflater: Deflater
    /// False once compressing has failed: the server's window then differs.
    private var canCompress = true

    init(_ terms: CompressionTerms) throws(StoreError) {
        self.terms = terms
        inflater = try Inflater(format: .messages, limit: .max)
        deflater = try Deflater(format: .messages(windowBits: terms.clientWindowBits))
    }

    /// Compresses a message; `nil` for one that is better sent as it is.
    func compress(_ payload: ByteBuffer) -> ByteBuffer? {
        guard canCompress, payload.readableBytes >= Self.threshold else {
            return nil
        }
        do {
            if terms.clientForgets {
                deflater = try Deflater(format: .messages(windowBits: terms.clientWindowBits))
            }
            let data = try deflater.update(Data(buffer: payload))
            var output = ByteBuffer(data: data)
            output.writeData(try deflater.flush())
            guard output.readableBytesView.suffix(Self.tail.count).elementsEqual(Self.tail) else {
                canCompress = false
                return nil
            }
            output.moveWriterIndex(to: output.writerIndex - Self.tail.count)
            return output
        } catch {
            canCompress = false
            return nil
        }
    }

    /// Decompresses a message of the server, of at most some bytes.
    func decompress(_ payload: ByteBuffer, limit: Int) throws(WebSocketViolation) -> ByteBuffer {
        do {
            if terms.serverForgets {
                inflater = try Inflater(format: .messages, limit: .max)
            }
            return ByteBuffer(data: try inflater.message(Data(buffer: payload) + Self.tail, limit: limit))
        } catch {
            throw error.code == .limitExceeded
                ? .tooLarge("a compressed message of more than \(limit) bytes")
                : .protocolError("a compressed message is damaged")
        }
    }
}

/// The agreement on the compression of messages (RFC 7692, section 7.1): a pure function of the server's field.
struct CompressionTerms: Sendable, Equatable {
    struct Refusal: Error, Equatable {
        let reason: String
    }

    /// The extension as it is offered: the server may say how large a window of the client it keeps.
    static let offer = "permessage-deflate; client_max_window_bits"

    /// The bits of windows that zlib can make: 8, which the RFC allows too, is not among them.
    private static let clientBits = 9...15
    private static let serverBits = 8...15

    /// True if the server compresses each message by itself.
    private(set) var serverForgets = false
    /// True if the client has to compress each message by itself.
    private(set) var clientForgets = false
    private(set) var clientWindowBits = 15

    /// Reads the elements of the field with which a server agrees, in lower case.
    init(_ extensions: [String]) throws(Refusal) {
        // Names are tokens; others are not compared, see `MarkRun`.
        let name = extensions.first.map { FieldList.token($0) } ?? ""
        var parts = name.split(separator: ";", omittingEmptySubsequences: false).map { FieldList.trimmed($0) }[...]
        guard extensions.count == 1, parts.popFirst() == "permessage-deflate" else {
            throw Refusal(reason: "it agrees to an extension that was not offered")
        }
        var seen: Set<Substring> = []
        for part in parts {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { FieldList.trimmed($0) }
            let value = sides.count == 2 ? FieldList.unquoted(sides[1]) : nil
            guard seen.insert(sides[0]).inserted else {
                throw Refusal(reason: "it names the parameter '\(sides[0].prefix(100))' of the compression twice")
            }
            switch (sides[0], value) {
            case ("server_no_context_takeover", nil):
                serverForgets = true
            case ("client_no_context_takeover", nil):
                clientForgets = true
            case ("server_max_window_bits", let value?):
                _ = try Self.bits(value, Self.serverBits)
            case ("client_max_window_bits", let value?):
                clientWindowBits = try Self.bits(value, Self.clientBits)
            default:
                throw Refusal(reason: "its parameter '\(part.prefix(100))' of the compression is not valid")
            }
        }
    }

    private static func bits(_ text: String, _ allowed: ClosedRange<Int>) throws(Refusal) -> Int {
        guard let bits = Int(text), allowed.contains(bits), text == String(bits) else {
            throw Refusal(
                reason: "its window of '\(text.prefix(100))' bits is not one of "
                    + "\(allowed.lowerBound) to \(allowed.upperBound)"
            )
        }
        return bits
    }
}
