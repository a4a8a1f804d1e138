// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import Synchronization

/// The body of a streamed response, whose bytes are kept as they pass.
///
/// A chunk is asked for when the consumer asks for one, so the consumer still sets the pace.
final class RecordedBody: ByteSource {
    /// Receives the bytes that passed, and the reason why they are not the whole body; `nil` if they are.
    typealias Watcher = @Sendable (_ bytes: Data, _ defect: String?) -> Void

    private struct State {
        var bytes = Data()
        var isTooLong = false
        /// Taken when the body ends, for whatever reason.
        var watcher: Watcher?
    }

    private let base: any ByteSource
    private let limit: Int
    private let state: Mutex<State>

    /// Of a body longer than the limit nothing is kept.
    init(_ base: any ByteSource, limit: Int, ended watcher: @escaping Watcher) {
        self.base = base
        self.limit = limit
        state = Mutex(State(watcher: watcher))
    }

    deinit {
        end("it was not read to its end")
    }

    func next() async throws -> Data? {
        do {
            let chunk = try await base.next()
            if let chunk {
                keep(chunk)
            } else {
                end(nil)
            }
            return chunk
        } catch {
            end(error is CancellationError ? "it was not read to its end" : Redaction.error(error))
            throw error
        }
    }

    func cancel() {
        base.cancel()
        end("it was not read to its end")
    }

    private func keep(_ chunk: Data) {
        state.withLock { state in
            guard state.watcher != nil, !state.isTooLong else {
                return
            }
            if chunk.count > limit - state.bytes.count {
                state.isTooLong = true
                state.bytes = Data()
            } else {
                state.bytes.append(chunk)
            }
        }
    }

    private func end(_ defect: String?) {
        let (watcher, bytes, isTooLong) = state.withLock { state in
            defer {
                state.watcher = nil
                state.bytes = Data()
            }
            return (state.watcher, state.bytes, state.isTooLong)
        }
        watcher?(bytes, isTooLong ? "it is longer than \(limit) bytes, and was left out" : defect)
    }
}
