// SPDX-License-Identifier: MIT

import Synchronization
import TestSupport

/// A text at a server that changes now and then, and whose state the server knows by an entity tag.
final class Document: Sendable {
    private let version = Mutex(1)

    /// Changes the text.
    func change() {
        version.withLock { $0 += 1 }
    }

    /// The response to a GET, which may be conditional.
    func response(to request: LoopbackRequest, headers: LoopbackHeaders = [:]) -> LoopbackResponse {
        let version = version.withLock { $0 }
        let tag = "\"v\(version)\""
        var headers = headers
        headers.append("ETag", tag)
        return request.headers["If-None-Match"] == tag
            ? .status(304, headers: headers)
            : .json(#"{"version": \#(version)}"#, headers: headers)
    }
}
