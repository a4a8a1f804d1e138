// SPDX-License-Identifier: MIT

import DequeModule
public import RestClient
import RestClientWebSocket
public import RestEssentials
import Synchronization

/// Records exchanges into an HTTP archive.
///
/// It records the calls of a scope, for example a run of a graph, or all calls of a manager:
///
/// ```swift
/// let recorder = HARRecorder()
/// try await recorder.record { try await orders.refresh() }
/// try recorder.write(to: file)
/// ```
///
/// Responses from the cache and from dummies are not recorded, because they are not exchanges. Values that the rules do
/// not allow are masked as soon as the exchange ends, so that a recorder never keeps them longer than the call does.
public final class HARRecorder: Sendable {
    private struct State {
        var lastNumber = 0
        /// The exchanges by their numbers, which count their beginnings.
        var entries: [Int: HAR.Entry] = [:]
        /// The numbers in the order in which the exchanges ended.
        var ended: Deque<Int> = []
    }

    fileprivate let rules: RecordingRules
    private let limit: Int
    fileprivate let now: @Sendable () -> Date
    private let state = Mutex(State())

    /// Creates an empty recorder.
    ///
    /// - Parameters:
    ///   - rules: The rules that decide what is recorded; the strictest by default.
    ///   - limit: The maximum number of exchanges to keep; the last ones to end are kept. Unlimited by default; set a
    ///     limit for a recorder that stays attached.
    ///   - now: Returns the current time.
    public init(
        rules: RecordingRules = RecordingRules(),
        limit: Int = .max,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.rules = rules
        self.limit = max(0, limit)
        self.now = now
    }

    /// The exchanges recorded so far, masked, in the order in which they began.
    public var archive: HAR {
        HAR(entries: state.withLock { $0.entries }.sorted { $0.key < $1.key }.map(\.value))
    }

    /// Records the exchanges of all managers that an operation and its child tasks make.
    ///
    /// - Parameters:
    ///   - isolation: The actor to run on; the caller's by default.
    ///   - operation: The operation.
    /// - Returns: The operation's result.
    /// - Throws: The operation's error.
    public func record<Result>(
        isolation: isolated (any Actor)? = #isolation,
        operation: () async throws -> Result
    ) async rethrows -> Result {
        try await ExchangeTaps.withTap(self, of: nil, isolation: isolation, operation: operation)
    }

    /// Writes the exchanges recorded so far to a file that only its owner may read, and replaces its contents.
    ///
    /// - Parameter file: The file. Its folder is created if it does not exist.
    /// - Throws: `RestClientError` with the code `secretInRecording`, which names the places, if something that the
    ///   rules allow looks like a secret; with the code `invalidRecording` if the file cannot be written.
    public func write(to file: URL) throws(RestClientError) {
        try archive.write(to: file, rules: rules)
    }
}

extension HARRecorder: ExchangeTap {
    package func exchange(
        _ request: TransportRequest,
        _ send: @Sendable (TransportRequest) async throws -> RawResponse
    ) async throws -> RawResponse {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let startedAt = now()
        let start = ContinuousClock.now
        do {
            var response = try await send(request)
            let waited = start.duration(to: .now)
            var entry = HAR.Entry(
                startedAt: startedAt,
                request: HAR.Request(request, in: response.httpVersion),
                response: HAR.Response(response),
                timings: HAR.Timings(response.timings, total: waited)
            )
            guard let source = response.stream?.release() else {
                keep(entry, number, request)
                return response
            }
            guard let link = source as? any MessageLink else {
                let recorded = RecordedBody(source, limit: request.responseLimit) { [self, entry] bytes, defect in
                    var entry = entry
                    entry.response.body.bytes = bytes
                    entry.response.error = defect.map { "the body is not whole: \($0)" }
                    entry.timings.receive = (start.duration(to: .now) - waited) / .milliseconds(1)
                    keep(entry, number, request)
                }
                response.stream = ByteStream(recorded as any ByteSource)
                return response
            }
            entry.webSocketMessages = []
            keep(entry, number, request)
            response.stream = ByteStream(RecordedLink(link, self, number) as any ByteSource)
            return response
        } catch {
            let entry = HAR.Entry(
                startedAt: startedAt,
                request: HAR.Request(request),
                response: HAR.Response(status: 0, httpVersion: HAR.unknownVersion, error: Redaction.error(error)),
                timings: HAR.Timings(nil, total: start.duration(to: .now))
            )
            keep(entry, number, request)
            throw error
        }
    }

    /// Changes an exchange that was recorded, if it is still kept.
    fileprivate func change(_ number: Int, _ change: (inout HAR.Entry) -> Void) {
        state.withLock { state in
            if let index = state.entries.index(forKey: number) {
                change(&state.entries.values[index])
            }
        }
    }

    /// Keeps an exchange that has ended, masked.
    private func keep(_ entry: HAR.Entry, _ number: Int, _ request: TransportRequest) {
        let masked = rules.masked(entry, secrets: request.secretFields)
        state.withLock { state in
            state.entries[number] = masked
            state.ended.append(number)
            if state.ended.count > limit, let first = state.ended.popFirst() {
                state.entries[first] = nil
            }
        }
    }
}

/// A connection whose messages are recorded as they pass, and its end.
private final class RecordedLink: MessageLink {
    private let link: any MessageLink
    private let recorder: HARRecorder
    private let number: Int

    init(_ link: any MessageLink, _ recorder: HARRecorder, _ number: Int) {
        self.link = link
        self.recorder = recorder
        self.number = number
    }

    deinit {
        noteEnd()
    }

    var closure: WebSocketClosure? { link.closure }

    func receive() async throws -> WebSocketMessage? {
        do {
            let message = try await link.receive()
            if let message {
                note(message, isSent: false)
            } else {
                noteEnd()
            }
            return message
        } catch {
            noteEnd()
            throw error
        }
    }

    func send(_ message: WebSocketMessage) async throws {
        // A response may come before the system says that the message went.
        note(message, isSent: true)
        try await link.send(message)
    }

    func ping() async throws {
        try await link.ping()
    }

    func close(_ code: WebSocketCloseCode, reason: String) async {
        await link.close(code, reason: reason)
        noteEnd()
    }

    func cancel() {
        link.cancel()
    }

    private func note(_ message: WebSocketMessage, isSent: Bool) {
        let message = HAR.WebSocketMessage(message, isSent: isSent, time: recorder.now())
        let masked = recorder.rules.masked(message)
        recorder.change(number) { $0.webSocketMessages?.append(masked) }
    }

    private func noteEnd() {
        guard let closure = link.closure else {
            return
        }
        let end = recorder.rules.masked(
            HAR.WebSocketEnd(code: closure.code.rawValue, reason: closure.reason, isByServer: closure.isByServer)
        )
        recorder.change(number) { $0.webSocketEnd = end }
    }
}

/// The body of a streamed response, whose bytes are kept as they pass, at the consumer's pace.
final class RecordedBody: ByteSource {
    /// Receives the bytes that passed, and the reason why they are not the whole body; `nil` if they are.
    typealias Watcher = @Sendable (_ bytes: Data, _ defect: String?) -> Void

    private struct State {
        var bytes = Data()
        var isTooLong = false
        /// Taken when the body ends, for whatever reason.
        var watcher: Watcher?
    }

    private let base: any ByteSource
    private let limit: Int
    private let state: Mutex<State>

    /// Of a body longer than the limit nothing is kept.
    init(_ base: any ByteSource, limit: Int, ended watcher: @escaping Watcher) {
        self.base = base
        self.limit = limit
        state = Mutex(State(watcher: watcher))
    }

    deinit {
        end("it was not read to its end")
    }

    func next() async throws -> Data? {
        do {
            let chunk = try await base.next()
            if let chunk {
                keep(chunk)
            } else {
                end(nil)
            }
            return chunk
        } catch {
            end(error is CancellationError ? "it was not read to its end" : Redaction.error(error))
            throw error
        }
    }

    func cancel() {
        base.cancel()
        end("it was not read to its end")
    }

    private func keep(_ chunk: Data) {
        state.withLock { state in
            guard state.watcher != nil, !state.isTooLong else {
                return
            }
            if chunk.count > limit - state.bytes.count {
                state.isTooLong = true
                state.bytes = Data()
            } else {
                state.bytes.append(chunk)
            }
        }
    }

    private func end(_ defect: String?) {
        let (watcher, bytes, isTooLong) = state.withLock { state in
            defer {
                state.watcher = nil
                state.bytes = Data()
            }
            return (state.watcher, state.bytes, state.isTooLong)
        }
        watcher?(bytes, isTooLong ? "it is longer than \(limit) bytes, and was left out" : defect)
    }
}
