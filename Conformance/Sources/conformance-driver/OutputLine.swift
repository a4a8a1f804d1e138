// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient
import RestClientWebSocket

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A line of output, as JSON.
struct OutputLine {
    private let value: JSONValue

    private init(_ members: [String: JSONValue]) {
        value = .object(members)
    }

    private init(to id: Int, _ members: [String: JSONValue]) {
        var members = members
        members["id"] = .int(Int64(id))
        value = .object(members)
    }

    /// The bytes of the line, its end included.
    var bytes: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        let line = (try? encoder.encode(value)) ?? Data(#"{"error":"the response cannot be written as JSON"}"#.utf8)
        return line + Data("\n".utf8)
    }
}

// MARK: - Responses

extension OutputLine {
    /// A whole response.
    ///
    /// - Parameters:
    ///   - id: The request's identifier.
    ///   - response: The response.
    ///   - attempts: How often the request went on the wire; `nil` if that was not asked.
    /// - Returns: The line.
    static func response(to id: Int, _ response: RawResponse, attempts: Int?) -> OutputLine {
        var members = head(of: response, attempts: attempts)
        members["body"] = String(validating: response.body, as: UTF8.self).map { .string($0) }
        members["body64"] = .string(response.body.base64EncodedString())
        return OutputLine(to: id, members)
    }

    /// A response whose body is in a file.
    ///
    /// - Parameters:
    ///   - id: The request's identifier.
    ///   - file: The file.
    ///   - path: Its path.
    ///   - status: The status of the last response; `nil` if all bytes were there before.
    ///   - attempts: How often the request went on the wire; `nil` if that was not asked.
    /// - Returns: The line.
    static func file(
        to id: Int,
        _ file: DownloadedFile,
        at path: String,
        status: Int?,
        attempts: Int?
    ) -> OutputLine {
        var members: [String: JSONValue] = [
            "status": .int(Int64(status ?? 200)),
            "headers": .array(file.headers.map { [.string($0.name.rawName), .string($0.value)] }),
            "file": .string(path),
            "bytes": .int(file.length),
        ]
        members["attempts"] = attempts.map { .int(Int64($0)) }
        return OutputLine(to: id, members)
    }

    /// The head of a response whose body comes in lines of its own.
    static func head(to id: Int, _ response: RawResponse, attempts: Int?) -> OutputLine {
        OutputLine(to: id, head(of: response, attempts: attempts))
    }

    private static func head(of response: RawResponse, attempts: Int?) -> [String: JSONValue] {
        var members: [String: JSONValue] = [
            "status": .int(Int64(response.status.code)),
            "headers": .array(response.headers.map { [.string($0.name.rawName), .string($0.value)] }),
            "interim": .array(response.interimResponses.map(interim)),
        ]
        members["attempts"] = attempts.map { .int(Int64($0)) }
        members["httpVersion"] = response.httpVersion.map { .string($0 == .http2 ? "2" : "1.1") }
        return members
    }

    /// An interim response: its status, and its header fields by name.
    private static func interim(_ response: InterimResponse) -> JSONValue {
        let fields = Dictionary(response.headers.map { ($0.name.rawName, $0.value) }) { "\($0), \($1)" }
        return [.int(Int64(response.status.code)), .object(fields.mapValues { .string($0) })]
    }
}

// MARK: - Parts and ends

extension OutputLine {
    static func chunk(to id: Int, _ bytes: Data) -> OutputLine {
        OutputLine(to: id, ["chunk64": .string(bytes.base64EncodedString())])
    }

    static func text(to id: Int, _ line: String) -> OutputLine {
        OutputLine(to: id, ["line": .string(line)])
    }

    static func json(to id: Int, _ value: JSONValue) -> OutputLine {
        OutputLine(to: id, ["json": value])
    }

    static func item(to id: Int, _ value: JSONValue) -> OutputLine {
        OutputLine(to: id, ["item": value])
    }

    static func event(to id: Int, _ event: ServerSentEvent) -> OutputLine {
        OutputLine(
            to: id,
            [
                "event": [
                    "type": .string(event.type), "data": .string(event.data),
                    "lastEventId": .string(event.lastEventID),
                ]
            ]
        )
    }

    static func message(to id: Int, _ message: WebSocketMessage) -> OutputLine {
        switch message {
        case .text(let text): OutputLine(to: id, ["message": ["text": .string(text)]])
        case .binary(let bytes): OutputLine(to: id, ["message": ["base64": .string(bytes.base64EncodedString())]])
        }
    }

    /// The end of a WebSocket.
    static func closed(_ id: Int, _ closure: WebSocketClosure) -> OutputLine {
        OutputLine(to: id, ["closed": [.int(Int64(closure.code.rawValue)), .string(closure.reason)]])
    }

    static func progress(to id: Int, sent: Int64, received: Int64, total: Int64?) -> OutputLine {
        var progress: [String: JSONValue] = ["sent": .int(sent), "received": .int(received)]
        progress["total"] = total.map { .int($0) }
        return OutputLine(to: id, ["progress": .object(progress)])
    }

    static func end(of id: Int) -> OutputLine {
        OutputLine(to: id, ["end": true])
    }

    /// A failed request.
    ///
    /// - Parameters:
    ///   - id: The request's identifier; `nil` if it has none.
    ///   - error: The error.
    ///   - tellsAttempts: True if the line tells how often the request went on the wire.
    /// - Returns: The line.
    static func failure(of id: Int?, _ error: any Error, tellsAttempts: Bool = false) -> OutputLine {
        var members: [String: JSONValue] = ["error": .string(text(of: error))]
        members["id"] = id.map { .int(Int64($0)) }
        if tellsAttempts, let error = error as? RestClientError {
            members["attempts"] = .int(Int64(error.attempts))
        }
        return OutputLine(members)
    }

    private static func text(of error: any Error) -> String {
        FailureClass(of: error) == .cancelled ? "cancelled: the call was cancelled" : String(describing: error)
    }
}

// MARK: - Commands

extension OutputLine {
    static let done = OutputLine(["ok": true])

    static func inFlight(_ count: Int) -> OutputLine {
        OutputLine(["inFlight": .int(Int64(count))])
    }

    static func metrics(_ counts: [String: Int]) -> OutputLine {
        OutputLine(["metrics": .object(counts.mapValues { .int(Int64($0)) })])
    }
}
