// SPDX-License-Identifier: MIT

import HTTPTypes
public import RestClient
import RestEssentials

extension LoopbackServer {
    /// Responds with dummies to requests that no route matches, over real sockets, including delays, sequences,
    /// scenarios and faults.
    ///
    /// The same dummies may replace the transport or respond here; a call ends in the same way. The server represents
    /// every server for which the dummies are registered. A request that no dummy matches gets a 501 whose text names
    /// the nearest dummies and their differences. Conversations of WebSockets are not played: they get a 501 too.
    ///
    /// ```swift
    /// let dummies = DummyRegistry()
    /// dummies.register(.get, "/orders") { _ in .json(orders).truncated() }
    /// server.respond(with: dummies)
    /// ```
    ///
    /// - Parameters:
    ///   - dummies: The dummies. Their mode is ignored. Those of APIs need `manager`.
    ///   - manager: The manager in which the aliases of APIs are looked up; none by default.
    ///   - clock: The clock of delays and slow bodies; a `ContinuousClock` by default.
    public func respond(
        with dummies: DummyRegistry,
        of manager: RestClientManager? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        let base = url
        onAny { request in
            do {
                let seen = DummyRequest(
                    method: request.method,
                    url: base + request.target,
                    headers: HTTPFields(request.headers),
                    body: request.body.isEmpty ? nil : Data(request.body),
                    api: nil
                )
                let response = try await dummies.response(to: seen, manager?.dummyDirectory) { duration in
                    try await clock.sleep(for: duration)
                }
                return LoopbackResponse(response, clock: clock)
            } catch let error as RestClientError where error.code == .dummyNotFound {
                return .text(error.message + "\n", status: 501)
            }
        }
    }
}

extension LoopbackResponse {
    /// Creates the response of a dummy, including its fault and its chunks, for which the clock paces a slow body.
    init(_ dummy: DummyResponse, clock: any Clock<Duration>) {
        var bytes = dummy.allowsBody ? Array(dummy.body) : []
        let length = bytes.count
        self.init(status: dummy.status.code, headers: LoopbackHeaders(dummy.headers))
        reason = dummy.status.reasonPhrase.isEmpty ? nil : dummy.status.reasonPhrase
        switch dummy.fault {
        case .connectionReset: self = .reset
        case .malformed: self = .raw("not an HTTP response\r\n\r\n")
        case .noResponse: self = .never
        case .truncated(let count):
            bytes = Array(bytes.prefix(DummyResponse.Fault.cut(after: count, of: length)))
            headers["Content-Length"] = String(max(1, length))
            ending = .close
        case nil: break
        }
        if dummy.connection != nil {
            self = .text("this server plays no conversations of WebSockets\n", status: 501)
        }
        guard case .head = opening else {
            return
        }
        if let chunks = dummy.chunks {
            let pieces = bytes
            body = .stream { writer in
                var start = 0
                for end in chunks.ends(in: pieces.count) {
                    try await clock.sleep(for: chunks.interval)
                    try await writer.write(Array(pieces[start..<end]))
                    start = end
                }
            }
        } else if !bytes.isEmpty {
            body = .bytes(bytes)
        }
    }
}

extension LoopbackHeaders {
    fileprivate init(_ fields: HTTPFields) {
        self.init(fields.map { Line($0.name.rawName, $0.text) })
    }
}

extension HTTPFields {
    /// Omits lines that are not valid fields, which HTTP libraries never send.
    fileprivate init(_ headers: LoopbackHeaders) {
        self.init(
            headers.lines.compactMap { line in
                HTTPField.Name(line.name).map { HTTPField(name: $0, text: line.value) }
            }
        )
    }
}
