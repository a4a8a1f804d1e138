// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

// From the library's own terms to those of the format, and back.

extension HAR {
    /// What stands in place of a version that nobody told.
    static let unknownVersion = "unknown"
}

extension HAR.Request {
    /// What a transport was given, and the version of HTTP in which it went out, if that is known.
    init(_ request: TransportRequest, in version: RawResponse.HTTPVersion? = nil) {
        self.init(
            method: request.method.rawValue,
            url: request.url,
            httpVersion: version?.rawValue ?? HAR.unknownVersion,
            headers: request.headers.map { HAR.Field($0.name.rawName, $0.value) },
            body: request.body.map { HAR.Body($0, mimeType: request.headers[.contentType] ?? "") }
        )
    }

    /// What a transport is to be given, to send it once more; `nil` when the method is none.
    ///
    /// Header fields that tell of one connection are left out: the transport has its own, and understands other codings.
    var transportRequest: TransportRequest? {
        guard let method = HTTPRequest.Method(method) else {
            return nil
        }
        var fields = headers.fields
        for name in Self.fieldsOfConnections.compactMap({ HTTPField.Name($0) }) {
            fields[name] = nil
        }
        return TransportRequest(method: method, url: url, headers: fields, body: body?.bytes)
    }

    private static let fieldsOfConnections = [
        "accept-encoding", "connection", "content-length", "host", "keep-alive", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]
}

extension HAR.Response {
    /// What a transport brought back.
    init(_ response: RawResponse) {
        self.init(
            status: response.status.code,
            statusText: response.status.reasonPhrase,
            httpVersion: response.httpVersion?.rawValue ?? HAR.unknownVersion,
            headers: response.headers.map { HAR.Field($0.name.rawName, $0.value) },
            body: HAR.Body(response.body, mimeType: response.headers[.contentType] ?? "")
        )
    }

    /// The response in a server's place; header fields that tell of bytes on the wire are left out.
    ///
    /// - Throws: ``RestClientError`` when there was no response to record.
    func rawResponse() throws(RestClientError) -> RawResponse {
        guard (100..<1_000).contains(status) else {
            throw RestClientError(.transportFailed, "no response was recorded: \(error ?? "the exchange failed")")
        }
        var fields = headers.fields
        for name in [HTTPField.Name.contentEncoding, .contentLength, .transferEncoding] {
            fields[name] = nil
        }
        return RawResponse(
            status: HTTPResponse.Status(code: status, reasonPhrase: statusText),
            headers: fields,
            body: body.bytes,
            source: .dummy
        )
    }
}

extension HAR.Timings {
    /// What a transport said; all of it was waiting when it said nothing.
    init(_ timings: ExchangeTimings?, total: Duration) {
        guard let timings else {
            self.init(wait: total.inMilliseconds)
            return
        }
        self.init(
            blocked: timings.blocked.inMilliseconds,
            connect: timings.connecting?.inMilliseconds,
            send: timings.sending.inMilliseconds,
            wait: timings.waiting.inMilliseconds,
            receive: timings.receiving.inMilliseconds
        )
    }
}

extension [HAR.Field] {
    /// The header fields; those whose name or value HTTP does not allow, like the `:authority` of browsers, are left out.
    fileprivate var fields: HTTPFields {
        var fields = HTTPFields()
        for field in self {
            guard let name = HTTPField.Name(field.name) else {
                continue
            }
            // Some browsers write several fields of one name as one, on lines of their own.
            for value in field.value.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
                .map(String.init)
            where HeaderCheck.defect(in: value, of: name) == nil {
                fields.append(HTTPField(name: name, value: value))
            }
        }
        return fields
    }
}
