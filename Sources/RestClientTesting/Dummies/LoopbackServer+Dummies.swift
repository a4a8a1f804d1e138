// SPDX-License-Identifier: MIT
import HTTPTypes
public import RestClient
import RestEssentials

extension LoopbackServer {
    /// Answers what no route fits by dummies, over real sockets: delays, sequences, scenarios and faults included.
    ///
    /// The same dummies may answer in the socket's place and here; a call ends alike in both cases. The server stands for
    /// every server that the dummies are registered for. What no dummy answers gets a 501 whose text names the nearest
    /// dummies and what differs.
    ///
    /// ```swift
    /// let dummies = DummyRegistry()
    /// dummies.register(.get, "/orders") { _ in .json(orders).truncated() }
    /// server.answer(with: dummies)
    /// ```
    ///
    /// - Parameters:
    ///   - dummies: The dummies; their mode does not matter here. Those of API operations need `manager`.
    ///   - manager: Where the aliases of API operations are looked up; none by default.
    ///   - clock: What delays and slow bodies are measured with; a `ContinuousClock` by default.
    public func answer(
        with dummies: DummyRegistry,
        of manager: RestClientManager? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        let base = url
        onAny { request in
            do {
                let response = try await dummies.answer(
                    HTTPRequest.Method(rawValue: request.method.rawValue) ?? .get,
                    url: base + request.target,
                    headers: HTTPFields(request.headers),
                    body: request.body.isEmpty ? nil : Data(request.body),
                    of: manager,
                    pause: { try await clock.sleep(for: $0) }
                )
                return LoopbackResponse(response, clock: clock)
            } catch let error as RestClientError where error.code == .dummyNotFound {
                return .text(error.message + "\n", status: 501)
            }
        }
    }
}

extension LoopbackResponse {
    /// Creates the response that a dummy gives, with its fault and its pace.
    ///
    /// - Parameters:
    ///   - dummy: What the dummy answers.
    ///   - clock: What the pauses of a slow body are measured with; a `ContinuousClock` by default.
    public init(_ dummy: DummyResponse, clock: any Clock<Duration> = ContinuousClock()) {
        var bytes = dummy.allowsBody ? Array(dummy.body) : []
        let length = bytes.count
        self.init(status: dummy.status.code, headers: LoopbackHeaders(dummy.headers))
        reason = dummy.status.reasonPhrase.isEmpty ? nil : dummy.status.reasonPhrase
        switch dummy.fault {
        case .connectionReset: self = .reset
        case .malformed: self = .raw("this is no HTTP\r\n\r\n")
        case .noAnswer: self = .never
        case .truncated(let count):
            bytes = Array(bytes.prefix(DummyFault.cut(after: count, of: length)))
            headers["Content-Length"] = String(max(1, length))
            ending = .close
        case nil: break
        }
        guard case .head = opening else {
            return
        }
        if let pace = dummy.pace {
            let pieces = bytes
            body = .stream { writer in
                var start = 0
                for end in pace.ends(in: pieces.count) {
                    try await clock.sleep(for: pace.interval)
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
        self.init(fields.map { Line($0.name.rawName, $0.value) })
    }
}

extension HTTPFields {
    /// The lines that are fit to be fields; others no HTTP library would have sent.
    fileprivate init(_ headers: LoopbackHeaders) {
        self.init(
            headers.lines.compactMap { line in
                HTTPField.Name(line.name).map { HTTPField(name: $0, value: line.value) }
            }
        )
    }
}
