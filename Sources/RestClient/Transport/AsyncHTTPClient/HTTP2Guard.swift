// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

import NIOCore
import NIOHTTP2

/// Closes a connection of HTTP/2 whose server has broken the protocol, and knows what its streams need of it.
///
/// NIOHTTP2 reports such an error and stops to read the connection, and AsyncHTTPClient keeps it: its calls would wait
/// for their time limits, and later calls too.
final class HTTP2Guard: ChannelInboundHandler {
    typealias InboundIn = Any

    let birth = ConnectionBirth()
    let refusal: (any Error)?
    private(set) var fault: (any Error)?

    init(refusal: (any Error)?) {
        self.refusal = refusal
    }

    static func ofConnection(with stream: any Channel) throws -> HTTP2Guard {
        guard let connection = stream.parent else {
            throw ChannelPipelineError.notFound
        }
        return try connection.pipeline.syncOperations.handler(type: HTTP2Guard.self)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if fault == nil, Self.concernsConnection(error) {
            fault = error
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            // Delayed, because the handler that reports the error is still at work.
            context.eventLoop.execute {
                bound.value.close(promise: nil)
            }
        }
        context.fireErrorCaught(error)
    }

    /// Returns true for errors after which nobody can tell what follows on a connection (RFC 9113, section 5.4.1).
    private static func concernsConnection(_ error: any Error) -> Bool {
        switch error {
        case is NIOHTTP2Errors.UnableToParseFrame, is NIOHTTP2Errors.MissingPreface,
            is NIOHTTP2Errors.InvalidFlowControlWindowSize, is NIOHTTP2Errors.FlowControlViolation,
            is NIOHTTP2Errors.InvalidWindowIncrementSize, is NIOHTTP2Errors.InvalidSetting,
            is NIOHTTP2Errors.ReceivedBadSettings, is NIOHTTP2Errors.StreamIDTooSmall,
            is NIOHTTP2Errors.InvalidStreamIDForPeer, is NIOHTTP2Errors.RaisedGoawayLastStreamID,
            is NIOHTTP2Errors.PushInViolationOfSetting, is NIOHTTP2Errors.ExcessivelyLargeHeaderBlock,
            is NIOHTTP2Errors.ExcessiveContinuationFrames, is NIOHTTP2Errors.ExcessiveEmptyDataFrames,
            is NIOHTTP2Errors.ExcessiveControlFrames, is NIOHTTP2Errors.ExcessiveRSTFrames,
            is NIOHTTP2Errors.ExcessiveStreamErrors, is NIOHTTP2Errors.ExcessiveNumberOfGlitches:
            true
        default:
            false
        }
    }
}

#endif
