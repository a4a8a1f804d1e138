// SPDX-License-Identifier: MIT

import RestClient

/// The framing of a response to a request.
///
/// A pure function.
struct ResponsePlan {
    /// The head to send.
    let head: ResponseHead
    /// True if the body is sent.
    ///
    /// A response to HEAD announces a body without sending it.
    let sendsBody: Bool
    /// True if the end of the response is sent; false if the response is to be cut off.
    let sendsEnd: Bool
    /// The end of the exchange.
    let ending: LoopbackResponse.Ending

    /// Plans a response, with its body already compressed.
    init(_ response: LoopbackResponse, to request: LoopbackRequest) {
        var headers = response.headers
        let statusAllowsBody = response.status >= 200 && response.status != 204 && response.status != 304
        let isStreamed = if case .stream = response.body { true } else { false }
        var liesAboutLength = false
        var closes = false

        if let claimed = headers["content-length"] {
            liesAboutLength = response.body.count.map { count in claimed != String(count) } ?? false
        } else if headers["transfer-encoding"] == nil, statusAllowsBody {
            if let count = response.body.count {
                if request.version != .http2 || count > 0 {
                    headers.append("Content-Length", String(count))
                }
            } else if request.version == .http11 {
                headers.append("Transfer-Encoding", "chunked")
            } else {
                closes = true
            }
        }

        if request.version == .http2 {
            headers = headers.withoutConnectionHeaders
            closes = false
        } else {
            closes = closes || (liesAboutLength && request.method != .head)
            closes = closes || request.asksToClose || headers.hasToken("close", in: "connection")
            if headers["connection"] == nil {
                if closes {
                    headers.append("Connection", "close")
                } else if request.version == .http10 {
                    headers.append("Connection", "keep-alive")
                }
            }
        }

        sendsBody = statusAllowsBody && request.method != .head
        if case .complete = response.ending {
            sendsEnd = true
            ending = closes ? .close : .complete
        } else {
            sendsEnd = false
            ending = response.ending
        }
        let hasBody = sendsBody && (isStreamed || (response.body.count ?? 0) > 0)
        head = ResponseHead(
            status: response.status,
            reason: response.reason,
            headers: headers,
            isChunked: sendsBody && headers.hasToken("chunked", in: "transfer-encoding"),
            isWholeResponse: sendsEnd && !hasBody && response.trailers.lines.isEmpty
        )
    }
}

extension LoopbackBody {
    /// The number of bytes, if it is known in advance.
    fileprivate var count: Int? {
        switch self {
        case .empty: 0
        case .bytes(let bytes): bytes.count
        case .stream: nil
        }
    }
}

extension LoopbackRequest {
    fileprivate var asksToClose: Bool {
        version == .http10
            ? !headers.hasToken("keep-alive", in: "connection")
            : headers.hasToken("close", in: "connection")
    }
}

extension LoopbackHeaders {
    /// The lines that HTTP/2 allows.
    ///
    /// It replaces the others by frames.
    fileprivate var withoutConnectionHeaders: Self {
        let connectionHeaders = ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"]
        return Self(
            lines.filter { line in
                !connectionHeaders.contains { name in name.isSameToken(as: line.name) }
            }
        )
    }
}
