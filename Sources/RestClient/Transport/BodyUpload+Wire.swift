// SPDX-License-Identifier: MIT

import HTTPWire
import NIOCore

extension BodyUpload {
    /// The body as a connection of this library's own sends it.
    var stream: WireStream {
        WireStream(length: content.length) { [self] upload in
            Task {
                await run { chunk in
                    try await upload.write(ByteBuffer(bytes: chunk))
                } end: { result in
                    upload.end(result)
                }
            }
        }
    }
}
