// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

import NIOCore
import NIOHPACK
import NIOHTTP2
import RestEssentials

/// Refuses a head of HTTP/2 that NIOHTTP2 would end the process for, or that takes too long to read.
///
/// It is in front of the handler that makes responses of frames, which takes the first character of `:status` without
/// looking whether there is one.
final class HTTP2HeadGuard: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload

    private var hasRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasRefused else {
            return
        }
        if case .headers(let block) = unwrapInboundIn(data) {
            for (name, value, _) in block.headers {
                if let defect = Self.defect(of: name, value) {
                    hasRefused = true
                    context.fireErrorCaught(RestClientError(.malformedResponse, defect))
                    context.close(promise: nil)
                    return
                }
            }
        }
        context.fireChannelRead(data)
    }

    static func defect(of name: String, _ value: String) -> String? {
        guard !MarkRun.isExcessive(value) else {
            return "the value of a field has too many combining marks in a row"
        }
        guard name.utf8.elementsEqual(":status".utf8) else {
            return nil
        }
        let digits = Array(value.utf8)
        let isStatus = digits.count == 3 && digits.allSatisfy { (0x30...0x39).contains($0) } && digits[0] != 0x30
        return isStatus ? nil : "the response has no valid status"
    }
}

#endif
