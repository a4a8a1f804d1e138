// SPDX-License-Identifier: MIT

import AsyncHTTPClient
import NIOCore
import Synchronization

/// Collects the body of an answer in time: AsyncHTTPClient's own deadline ends when the head has arrived.
enum BodyCollection {
    /// Collects a body.
    ///
    /// The bytes mostly came along with the head. So they are collected at once where the runtime can do that, and a clock
    /// is only set when they keep the collector waiting.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - limit: How many bytes it may have.
    ///   - deadline: When it must be there.
    /// - Returns: The bytes.
    /// - Throws: `NIOTooManyBytesError` over the limit, `HTTPClientError.deadlineExceeded` when the time is up, or what
    ///   ended the exchange.
    static func collect(
        _ body: HTTPClientResponse.Body,
        upTo limit: Int,
        by deadline: NIODeadline
    ) async throws -> ByteBuffer {
        guard deadline != .distantFuture else {
            return try await gather(body, upTo: limit, by: deadline)
        }
        let completion = Completion()
        let gathering: @Sendable () async throws -> ByteBuffer = {
            let bytes = try await gather(body, upTo: limit, by: deadline)
            completion.isReached.store(true, ordering: .relaxed)
            return bytes
        }
        return try await withThrowingTaskGroup(of: ByteBuffer.self) { group in
            defer { group.cancelAll() }
            if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
                group.addImmediateTask { try await gathering() }
            } else {
                group.addTask { try await gathering() }
            }
            if !completion.isReached.load(ordering: .relaxed) {
                group.addTask {
                    let clock = ContinuousClock()
                    let remaining = deadline - .now()
                    try await clock.sleep(for: .nanoseconds(max(0, remaining.nanoseconds)))
                    throw HTTPClientError.deadlineExceeded
                }
            }
            guard let bytes = try await group.next() else {
                throw CancellationError()
            }
            return bytes
        }
    }

    /// Puts the parts together; looks at the time itself, as parts that keep coming leave nobody else a chance to.
    private static func gather(
        _ body: HTTPClientResponse.Body,
        upTo limit: Int,
        by deadline: NIODeadline
    ) async throws -> ByteBuffer {
        var bytes = ByteBuffer()
        for try await var part in body {
            guard part.readableBytes <= limit - bytes.readableBytes else {
                throw NIOTooManyBytesError(maxBytes: limit)
            }
            if bytes.readableBytes == 0 {
                bytes = part
            } else {
                guard NIODeadline.now() < deadline else {
                    throw HTTPClientError.deadlineExceeded
                }
                bytes.writeBuffer(&part)
            }
        }
        return bytes
    }

    private final class Completion: Sendable {
        let isReached = Atomic<Bool>(false)
    }
}
