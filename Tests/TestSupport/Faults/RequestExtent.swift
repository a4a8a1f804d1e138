// SPDX-License-Identifier: MIT

import NIOCore

/// The extent of the first request in a buffer, as far as it has arrived.
struct RequestExtent {
    /// The head of the request, without the empty line.
    let head: String
    /// The number of bytes of the body that have arrived, with the framing of chunks.
    let bodyCount: Int
    /// The number of bytes of the whole request; `nil` until all of them have arrived.
    let end: Int?

    /// Measures the request; `nil` until its head has arrived.
    init?(_ bytes: ByteBufferView) {
        let separator = [UInt8]("\r\n\r\n".utf8)
        guard let range = bytes.firstRange(of: separator) else {
            return nil
        }
        head = String(decoding: bytes[..<range.lowerBound], as: UTF8.self)
        let request = FaultServer.Request(head: head)
        let headCount = range.upperBound - bytes.startIndex
        bodyCount = bytes.count - headCount
        if request.value(of: "transfer-encoding") != nil {
            end = Self.endOfChunks(bytes[range.upperBound...]).map { headCount + $0 }
        } else {
            // A length that is not one counts as none.
            let length = max(0, request.value(of: "content-length").flatMap { Int($0) } ?? 0)
            end = bodyCount >= length ? headCount + length : nil
        }
    }

    private static func endOfChunks(_ body: ByteBufferView) -> Int? {
        var index = body.startIndex
        while let line = body[index...].firstRange(of: [UInt8]("\r\n".utf8)) {
            let text = String(decoding: body[index..<line.lowerBound], as: UTF8.self)
            guard let size = Int(text.prefix { $0.isHexDigit }, radix: 16) else {
                return nil
            }
            // Compared before it is added: a client may announce more than an integer holds.
            guard size <= body.endIndex - line.upperBound - 2 else {
                return nil
            }
            let next = line.upperBound + size + 2
            if size == 0 {
                return next - body.startIndex
            }
            index = next
        }
        return nil
    }
}
