// SPDX-License-Identifier: MIT

import NIOCore
import NIOFoundationEssentialsCompat
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
            let message = try inflater.message(Data(buffer: payload) + Self.tail, limit: limit)
            return ByteBuffer(data: message)
        } catch {
            throw error.code == .limitExceeded
                ? .tooLarge("a compressed message of more than \(limit) bytes")
                : .protocolError("a compressed message is damaged")
        }
    }
}
