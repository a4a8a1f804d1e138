// SPDX-License-Identifier: MIT

import RestEssentials

extension RawResponse {
    /// Returns the response with its collected body; the body of a failure is truncated at the limit instead of
    /// rejected.
    func collected(limit: Int) async throws -> RawResponse {
        guard let stream else {
            return self
        }
        var body = body
        for try await chunk in stream {
            let room = limit - body.count
            body.append(chunk.prefix(room))
            if chunk.count > room {
                break
            }
        }
        var response = self
        response.stream = nil
        response.body = body
        return response
    }

    func watched(ended: @escaping WatchedSource.Watcher) -> RawResponse {
        guard let stream else {
            return self
        }
        var response = self
        response.stream = ByteStream(WatchedSource(stream.release(), ended: ended))
        return response
    }
}
