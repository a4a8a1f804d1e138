// SPDX-License-Identifier: MIT

public import RestClient
import RestEssentials

// Written explicitly, because Swift's default descriptions would show the secrets of an archive that other tools made.

extension HAR: MirroredByDescription {
    /// The exchanges, one per line, with secrets masked.
    public var description: String {
        (["\(entries.count) exchanges"] + entries.map(\.description)).joined(separator: "\n")
    }
}

extension HAR.Entry: CustomStringConvertible, CustomReflectable {
    /// The request and the status, with secrets masked.
    public var description: String {
        MessageText.of("\(request.method) \(Redaction.url(request.url)): \(response.status)")
    }

    /// The request, the response and the messages, with secrets masked.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "startedAt": startedAt, "request": request, "response": response,
                "webSocketMessages": webSocketMessages as Any, "webSocketEnd": webSocketEnd as Any,
            ]
        )
    }
}

extension HAR.Field: MirroredByDescription {
    /// The name and the value, with secrets masked.
    public var description: String { MessageText.of("\(name): \(Redaction.value(of: name, value))") }
}

extension HAR.Request: MirroredByDescription {
    /// The method and the URL, the header fields and the length of the body, with secrets masked.
    public var description: String {
        let fields = headers.map(\.description)
        return MessageText.lines(["\(method) \(Redaction.url(url))"] + fields + (body.map { ["(\($0))"] } ?? []))
    }
}

extension HAR.Response: MirroredByDescription {
    /// The status or the error, the header fields and the length of the body, with secrets masked.
    public var description: String {
        let start = error.map { "no response: \(Redaction.text($0))" } ?? "\(status)"
        return MessageText.lines([start] + headers.map(\.description) + ["(\(body))"])
    }
}

extension HAR.Body: MirroredByDescription {
    /// The length and the media type.
    public var description: String {
        MessageText.of("\(bytes.count) bytes" + (mimeType.isEmpty ? "" : " of \(mimeType)"))
    }
}

extension HAR.WebSocketMessage: MirroredByDescription {
    package var description: String { "\(isSent ? "sent" : "received") \(message)" }
}

extension HAR.WebSocketEnd: MirroredByDescription {
    package var description: String {
        let words = reason.isEmpty ? "" : " '\(MessageText.of(Redaction.text(reason)))'"
        return "closed by \(isByServer ? "the server" : "the client") with \(code)\(words)"
    }
}
