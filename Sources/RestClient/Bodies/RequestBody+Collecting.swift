// SPDX-License-Identifier: MIT

import RestEssentials

extension RequestBody {
    static let collectingLimit = 64 << 20

    /// Returns the bytes before any content coding; `nil` if there are more than the limit.
    ///
    /// The body is read to its end in any case.
    func collected(upTo limit: Int = collectingLimit) async throws -> Data? {
        if let bytes {
            return bytes
        }
        do {
            let reader = try ChunkReader(RequestBody(content: content.uncoded, contentType: nil))
            var bytes: Data? = Data()
            while let chunk = try await reader.next() {
                if let count = bytes?.count, chunk.count <= limit - count {
                    bytes?.append(chunk)
                } else {
                    bytes = nil
                }
            }
            return bytes
        } catch let error as BodySourceError {
            throw error.underlying
        }
    }
}
