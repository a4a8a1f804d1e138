// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient
import RestClientWebSocket

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A request of the input, from its line to the last line about it.
struct Exchange: Sendable {
    let request: WireRequest
    let route: Route
    let terms: ChosenTransport.Terms
    let manager: RestClientManager
    let usesCache: Bool
    /// How WebSockets connect.
    let connections: DirectTransport.Configuration

    private var id: Int { request.id }

    /// Sends the request, and writes what comes of it.
    @concurrent
    func run() async {
        let last: OutputLine
        do {
            last = try await ChosenTransport.$terms.withValue(terms) { try await limited() }
        } catch let error as UnsupportedField {
            last = .unsupported(error, in: id)
        } catch {
            last = .failure(of: id, error, tellsAttempts: request.retry != nil)
        }
        await Output.standard.write(last)
    }

    /// Returns a node with what the line says of its request.
    private func described<Model>(_ node: RequestNode<Model>, _ usesCache: Bool) throws -> RequestNode<Model> {
        route.applied(to: try request.described(node, usesCache: usesCache))
    }

    /// Sends the request within the time that its line leaves to it.
    private func limited() async throws -> OutputLine {
        var alarms: [(after: Int, error: any Error)] = []
        if let delay = request.cancelAfterMs {
            alarms.append((delay, CancellationError()))
        }
        // The library limits a stream's head and its pauses; the line limits the whole.
        if let delay = request.timeoutMs, request.isOfManyParts {
            alarms.append((delay, WireError(text: "timeout: the stream did not end within \(delay) ms")))
        }
        guard !alarms.isEmpty else {
            return try await answer()
        }
        return try await withThrowingTaskGroup(of: OutputLine.self) { group in
            group.addTask { try await answer() }
            for alarm in alarms {
                group.addTask {
                    try await Task.sleep(for: .milliseconds(alarm.after))
                    throw alarm.error
                }
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else {
                throw CancellationError()
            }
            return first
        }
    }

    /// Sends the request; returns the last line about it.
    private func answer() async throws -> OutputLine {
        guard request.progress == true else {
            return try await answer(noting: nil)
        }
        let lines = ProgressLines(id: id)
        async let written: Void = lines.write()
        let last: OutputLine
        do {
            last = try await answer { lines.note($0) }
        } catch {
            lines.finish()
            await written
            throw error
        }
        lines.finish()
        await written
        return last
    }

    private func answer(noting note: ProgressNote?) async throws -> OutputLine {
        if request.websocket == true {
            return try await answerBySocket()
        }
        if let path = request.downloadTo {
            return try await answer(loading: path, note)
        }
        if let pages = request.pages {
            return try await answer(pages)
        }
        if let stream = request.stream {
            guard let note else {
                return try await answer(streaming: stream)
            }
            // Handlers of a node are not called for its stream.
            return try await manager.withProgress(of: .sent) {
                note(CallProgress(.sent, $0))
            } operation: {
                try await manager.withProgress(of: .received) {
                    note(CallProgress(.received, $0))
                } operation: {
                    try await answer(streaming: stream)
                }
            }
        }
        let node = try noted(described(manager.request(), usesCache).dogma(.raw), note)
        do {
            let response = try await node.response()
            return .response(to: id, response.raw, attempts: request.retry.map { _ in response.attempts })
        } catch let error as RestClientError where [.unacceptableStatus, .preconditionFailed].contains(error.code) {
            return try refused(error)
        }
    }

    private typealias ProgressNote = @Sendable (CallProgress) -> Void

    private func noted<Model>(_ node: RequestNode<Model>, _ note: ProgressNote?) -> RequestNode<Model> {
        guard let note else {
            return node
        }
        return node.onProgress(note)
    }

    /// The line about a response whose status was not accepted.
    private func refused(_ error: RestClientError) throws -> OutputLine {
        guard let response = error.response else {
            throw error
        }
        return .response(to: id, response, attempts: request.retry.map { _ in error.attempts })
    }

    // MARK: - Files

    private func answer(loading path: String, _ note: ProgressNote?) async throws -> OutputLine {
        if request.resume != true {
            for part in [path + ".partial", path + ".partial.json"] where FileManager.default.fileExists(atPath: part) {
                try FileManager.default.removeItem(atPath: part)
            }
        }
        let notes = ResponseNotes()
        let node = try noted(described(manager.request(), false).dogma(.raw), note)
            .accepting(.successful)
            .interceptors(notes, perAttempt: true)
        do {
            let file = try await node.download(to: path)
            let attempts = request.retry.map { _ in notes.attempts }
            return .file(to: id, file, at: path, status: notes.status, attempts: attempts)
        } catch let error as RestClientError where [.unacceptableStatus, .preconditionFailed].contains(error.code) {
            return try refused(error)
        }
    }

    // MARK: - WebSockets

    private func answerBySocket() async throws -> OutputLine {
        var options = WebSocketOptions()
        options.connections = try terms.applied(to: connections)
        options.offersCompression = true
        options.subprotocols = request.protocols ?? []
        let node = try described(manager.request(WebSocketMessage.self), false)
            .webSocketOptions(options)
        if request.reconnect == true {
            return try await answer(feeding: node)
        }
        return try await SocketExchange(request: request, socket: node.webSocket()).run()
    }

    /// Opens a WebSocket again after each interruption, and sends the messages of the line over each connection.
    private func answer(feeding node: RequestNode<WebSocketMessage>) async throws -> OutputLine {
        let messages = try (request.send ?? [])
            .map { frame in
                guard case .message(let message) = frame else {
                    throw UnsupportedField(name: "close with reconnect")
                }
                return message
            }
        let policy = request.retry?.feedPolicy ?? EventStreamPolicy()
        let feed = node.webSocketFeed(policy, sending: WebSocketMessage.self) { socket in
            for message in messages {
                try await socket.send(message)
            }
        }
        return try await write(feed) { .message(to: id, $0) }
    }

    // MARK: - Pages

    private func answer(_ pages: WirePages) async throws -> OutputLine {
        let node = try described(manager.request(JSONValue.self), usesCache)
            .dogma(QuietJSONDogma.alias)
            .accepting(.successful)
        return try await write(node.pages(pages.rule) { try pages.items(of: $0) }.items) { .item(to: id, $0) }
    }

    // MARK: - Streams

    private func answer(streaming kind: String) async throws -> OutputLine {
        let node = try described(manager.request(), usesCache)
            .interceptors(HeadReporter(id: id, tellsAttempts: request.retry != nil))
        switch kind {
        case "bytes":
            do {
                return try await write(node.dogma(.raw).stream().bytes) { .chunk(to: id, $0) }
            } catch let error as RestClientError where [.unacceptableStatus, .preconditionFailed].contains(error.code) {
                if let body = error.response?.body, !body.isEmpty {
                    await Output.standard.write(.chunk(to: id, body))
                }
                return .end(of: id)
            }
        case "lines":
            return try await write(node.dogma(.raw).stream().lines()) { .text(to: id, $0) }
        case "json-lines":
            let response = try await node.dogma(QuietJSONDogma.alias).stream()
            return try await write(response.jsonLines(of: JSONValue.self)) { .json(to: id, $0) }
        case "events":
            let policy = request.reconnect == true ? EventStreamPolicy() : .once
            return try await write(node.dogma(.raw).serverSentEvents(policy)) { .event(to: id, $0) }
        default:
            throw UnsupportedField(name: "stream \(kind)")
        }
    }

    /// Writes elements as they come, as many as the line takes; returns the last line.
    private func write<Elements: AsyncSequence>(
        _ elements: Elements,
        as line: (Elements.Element) -> OutputLine
    ) async throws -> OutputLine {
        var left = request.take ?? .max
        guard left > 0 else {
            return .end(of: id)
        }
        for try await element in elements {
            await Output.standard.write(line(element))
            left -= 1
            if left <= 0 {
                break
            }
        }
        return .end(of: id)
    }
}

extension OutputLine {
    /// Refuses a line; what it is about goes to standard error.
    static func unsupported(_ field: UnsupportedField, in id: Int?) -> OutputLine {
        Output.error("unsupported: \(field.name)")
        return .failure(of: id, field)
    }
}
