// SPDX-License-Identifier: MIT

import NIOCore
import Synchronization

/// The memory of a piece of a file, which is used again once the connection has sent the piece.
///
/// New memory for each piece costs more processor time than its bytes: the system has to clear and to map it.
final class FileSlot: Sendable {
    static let pieceSize = 128 << 10

    private let buffer = Mutex(ByteBuffer())

    /// Fills the memory, or other memory while the last piece is in use.
    func fill(upTo count: Int, _ read: (UnsafeMutableRawBufferPointer) -> Int) -> ByteBuffer {
        buffer.withLock { buffer in
            buffer.clear(minimumCapacity: count)
            unsafe buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { memory in
                unsafe read(UnsafeMutableRawBufferPointer(rebasing: memory.prefix(count)))
            }
            return buffer
        }
    }
}
