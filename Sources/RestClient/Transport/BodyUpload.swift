// SPDX-License-Identifier: MIT

import HTTPWire
import NIOCore
import RestEssentials

/// Sends a body piece by piece, each once the connection has room for it.
struct BodyUpload: Sendable {
    let content: RequestBody

    func run(_ write: (Data) async throws -> Void, end: (Result<Void, any Error>) -> Void) async {
        let reader: ChunkReader
        do {
            reader = try ChunkReader(content)
        } catch {
            return end(.failure(error))
        }
        do {
            while let chunk = try await reader.next() {
                try await write(chunk)
            }
            end(.success(()))
        } catch {
            end(.failure(error))
            await leave(reader)
        }
    }

    /// Lets the source of the body see that nothing more will be sent, after a chunk could not be sent.
    ///
    /// A source notices only a cancelled task that waits for its next chunk. The end of the exchange cancels this one.
    private func leave(_ reader: ChunkReader) async {
        var wasCancelled = false
        repeat {
            wasCancelled = Task.isCancelled
        } while (try? await reader.next()) != nil && !wasCancelled
    }
}

extension BodyUpload {
    private static let slotCount = 4

    var stream: WireStream {
        WireStream(length: content.length) { [self] upload in
            Task {
                if case .file(let file) = content.content {
                    await send(file, upload)
                    return
                }
                await run { chunk in
                    try await upload.write(ByteBuffer(bytes: chunk))
                } end: { result in
                    upload.end(result)
                }
            }
        }
    }

    private func send(_ range: FileRange, _ upload: WireUpload) async {
        do {
            let file = try OpenFile(range.path)
            var meter = FileMeter(range.length, of: "the file '\(range.name)'")
            let slots = (0..<Self.slotCount).map { _ in FileSlot() }
            var turn = 0
            while meter.remaining != 0 {
                let count = Int(min(meter.remaining ?? .max, Int64(FileSlot.pieceSize)))
                let slot = slots[turn % slots.count]
                let piece = try await file.read(at: range.offset + meter.sent, upTo: count, into: slot)
                guard piece.readableBytes > 0 else {
                    break
                }
                try meter.read(piece.readableBytes)
                try await upload.write(piece)
                turn += 1
            }
            try meter.finish()
            upload.end(.success(()))
        } catch {
            upload.end(.failure(error))
        }
    }
}
