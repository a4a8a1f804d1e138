// SPDX-License-Identifier: MIT

import RestEssentials

extension RawResponse {
    /// Returns the response with its body, as far as a limit allows: that of a failure is of use in part, too.
    func collected(limit: Int) async throws -> RawResponse {
        guard let stream else {
            return self
        }
        var response = self
        response.stream = nil
        for try await chunk in stream {
            let room = limit - response.body.count
            response.body.append(chunk.prefix(room))
            if chunk.count > room {
                break
            }
        }
        return response
    }

    /// Returns the response with its body as a stream that tells of its end.
    func watched(ended: @escaping WatchedSource.Watcher) -> RawResponse {
        guard let stream else {
            return self
        }
        var response = self
        response.stream = ByteStream(WatchedSource(stream.release(), ended: ended))
        return response
    }
}
