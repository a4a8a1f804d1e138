// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient
import RestEssentials

extension HAR {
    static let unknownVersion = "unknown"
}

extension HAR.Request {
    /// Converts a request, with the HTTP version in which it was sent if that is known.
    init(_ request: TransportRequest, in version: RawResponse.HTTPVersion? = nil) {
        self.init(
            method: request.method.rawValue,
            url: request.url,
            httpVersion: version?.rawValue ?? HAR.unknownVersion,
            headers: request.headers.map { HAR.Field($0.name.rawName, $0.text) },
            body: request.body.map { body in
                // Content outside memory is only described: a recording contains no files and reads no streams.
                let bytes = body.bytes ?? Data("<\(body)>".utf8)
                return HAR.Body(bytes, mimeType: request.headers[.contentType] ?? "")
            }
        )
    }

    /// The request to send again, without the fields of its connection; `nil` if the method is not valid.
    var transportRequest: TransportRequest? {
        guard let method = HTTPRequest.Method(method) else {
            return nil
        }
        var fields = headers.fields
        for name in Self.fieldsOfConnections.compactMap({ HTTPField.Name($0) }) {
            fields[name] = nil
        }
        return TransportRequest(method: method, url: url, headers: fields, body: body.map { .bytes($0.bytes) })
    }

    private static let fieldsOfConnections = [
        "accept-encoding", "connection", "content-length", "host", "keep-alive", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]
}

extension HAR.Response {
    init(_ response: RawResponse) {
        self.init(
            status: response.status.code,
            statusText: response.status.reasonPhrase,
            httpVersion: response.httpVersion?.rawValue ?? HAR.unknownVersion,
            headers: response.headers.map { HAR.Field($0.name.rawName, $0.text) },
            body: HAR.Body(response.body, mimeType: response.headers[.contentType] ?? "")
        )
    }

    /// Returns the response to replay; a body that was not recorded whole fails after the bytes that were.
    ///
    /// Fields that describe the bytes on the wire are omitted if a body was decoded or masked.
    func rawResponse(to method: String = "GET") throws(RestClientError) -> RawResponse {
        guard (100..<1_000).contains(status) else {
            throw RestClientError(.transportFailed, "no response was recorded: \(error ?? "the exchange failed")")
        }
        var fields = headers.fields
        let hasBody = method != "HEAD" && status >= 200 && status != 204 && status != 304
        if hasBody {
            let length = fields[.contentLength].flatMap { Int($0) } ?? 0
            let isTrue = error == nil ? length == body.bytes.count : length > body.bytes.count
            if !isTrue || fields.contains(.contentEncoding) {
                fields[.contentLength] = nil
            }
            fields[.contentEncoding] = nil
            fields[.transferEncoding] = nil
        }
        var response = RawResponse(
            status: HTTPResponse.Status(code: status, reasonPhrase: statusText),
            headers: fields,
            source: .dummy
        )
        // An archive may hold a body where no server sends one.
        let bytes = hasBody ? body.bytes : Data()
        if let error {
            response.stream = ByteStream(Self.chunk(bytes, then: error))
        } else {
            response.body = bytes
        }
        return response
    }

    private static func chunk(_ bytes: Data, then error: String) -> AsyncThrowingStream<Data, any Error> {
        AsyncThrowingStream { continuation in
            if !bytes.isEmpty {
                continuation.yield(bytes)
            }
            continuation.finish(
                throwing: RestClientError(.transportFailed, "the recorded response ends here: \(error)")
            )
        }
    }
}

extension HAR.Timings {
    /// Without the timings of a transport, the whole time counts as waiting.
    init(_ timings: ExchangeTimings?, total: Duration) {
        guard let timings else {
            self.init(wait: total / .milliseconds(1))
            return
        }
        self.init(
            blocked: timings.blocked / .milliseconds(1),
            connect: timings.connecting.map { $0 / .milliseconds(1) } ?? -1,
            send: timings.sending / .milliseconds(1),
            wait: timings.waiting / .milliseconds(1),
            receive: timings.receiving / .milliseconds(1)
        )
    }
}

extension [HAR.Field] {
    /// Fields that HTTP does not allow, like the `:authority` of browsers, are omitted.
    fileprivate var fields: HTTPFields {
        // `HTTPFields` traps when it has twice as many.
        let limit = 1 << 15
        var fields = HTTPFields()
        for field in self {
            guard let name = HTTPField.Name(field.name), !MarkRun.isExcessive(field.value) else {
                continue
            }
            // Some browsers write several fields of one name as one field with several lines.
            for value in field.value.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
                .map(String.init)
            where HeaderCheck.defect(in: value, of: name) == nil && fields.count < limit {
                fields.append(HTTPField(name: name, text: value))
            }
        }
        return fields
    }
}
