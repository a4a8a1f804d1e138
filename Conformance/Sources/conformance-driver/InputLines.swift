// SPDX-License-Identifier: MIT

import Dispatch

/// The lines of standard input as they come; reading blocks a thread of its own, none that tasks need.
enum InputLines {
    static func stream() -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        DispatchQueue(label: "standard input")
            .async {
                while let line = readLine() {
                    continuation.yield(line)
                }
                continuation.finish()
            }
        return stream
    }
}
