// SPDX-License-Identifier: MIT

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
