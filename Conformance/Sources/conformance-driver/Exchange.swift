// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A request of the input, from its line to the last line about it.
struct Exchange: Sendable {
    let request: WireRequest
    let manager: RestClientManager
    let usesCache: Bool

    private var id: Int { request.id }

    /// Sends the request, and writes what comes of it.
    @concurrent
    func run() async {
        let last: OutputLine
        do {
            last = try await limited()
        } catch let error as UnsupportedField {
            last = .unsupported(error, in: id)
        } catch {
            last = .failure(of: id, error, tellsAttempts: request.retry != nil)
        }
        await Output.standard.write(last)
    }

    /// Sends the request within the time that its line leaves to it.
    private func limited() async throws -> OutputLine {
        var alarms: [(after: Int, error: any Error)] = []
        if let delay = request.cancelAfterMs {
            alarms.append((delay, CancellationError()))
        }
        // The library limits a stream's head and its pauses; the line limits the whole.
        if let delay = request.timeoutMs, request.stream != nil || request.pages != nil {
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
        if let pages = request.pages {
            return try await answer(pages)
        }
        if let stream = request.stream {
            return try await answer(streaming: stream)
        }
        let node = try request.described(manager.request(), usesCache: usesCache).dogma(.raw)
        do {
            let response = try await node.response()
            return .response(to: id, response.raw, attempts: request.retry.map { _ in response.attempts })
        } catch let error as RestClientError where error.code == .unacceptableStatus {
            guard let response = error.response else {
                throw error
            }
            return .response(to: id, response, attempts: error.attempts)
        }
    }

    // MARK: - Pages

    private func answer(_ pages: WirePages) async throws -> OutputLine {
        let node = try request.described(manager.request(JSONValue.self), usesCache: usesCache)
            .dogma(QuietJSONDogma.alias)
            .accepting(.successful)
        return try await write(node.pages(pages.rule) { try pages.items(of: $0) }.items) { .item(to: id, $0) }
    }

    // MARK: - Streams

    private func answer(streaming kind: String) async throws -> OutputLine {
        let node = try request.described(manager.request(), usesCache: usesCache)
            .interceptors(HeadReporter(id: id, tellsAttempts: request.retry != nil))
        switch kind {
        case "bytes":
            do {
                return try await write(node.dogma(.raw).stream().bytes) { .chunk(to: id, $0) }
            } catch let error as RestClientError where error.code == .unacceptableStatus {
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
