// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import Synchronization

/// Measures the bodies of one exchange, and reports their progress.
final class ProgressReporter: Sendable {
    private typealias Meters = [CallProgress.Direction: ProgressMeter]

    private let call: CallID
    private let sinks: ProgressSinks
    private let clock: ClientClock
    private let emit: ProgressSinks.Handler?
    private let meters = Mutex<Meters>([:])

    init(of call: CallID, to sinks: ProgressSinks, _ clock: ClientClock, emit: ProgressSinks.Handler?) {
        self.call = call
        self.sinks = sinks
        self.clock = clock
        self.emit = emit
    }

    /// Begins a body, of which a part may be complete already; each body of a direction is counted by itself.
    func begin(_ direction: CallProgress.Direction, total: Int64?, completed: Int64 = 0) {
        let now = clock.now()
        let meter = ProgressMeter(total: total, completed: completed, now: now)
        meters.withLock { $0[direction] = meter }
    }

    func add(_ count: Int, _ direction: CallProgress.Direction) {
        change(direction) { $0.add(Int64(count), at: $1) }
    }

    func finish(_ direction: CallProgress.Direction) {
        change(direction) { $0.finish(at: $1) }
    }

    func handOver(_ count: Int) {
        meters.withLock { $0[.sent]?.handOver(Int64(count)) }
    }

    /// Takes a response: it may come before the end of the request's body has been read.
    func respond() {
        change(.sent) { $0.respond(at: $1) }
    }

    /// Records that a body continues from another position.
    func restart(_ direction: CallProgress.Direction) {
        change(direction) { $0.restart(from: 0, total: nil, at: $1) }
    }

    func setTotal(_ total: Int64?, _ direction: CallProgress.Direction) {
        meters.withLock { $0[direction]?.setTotal(total) }
    }

    /// Takes the end of the exchange: nothing more of it is waited for.
    func end() {
        for scope in sinks.scopes {
            scope.end(call)
        }
    }

    private func change(
        _ direction: CallProgress.Direction,
        _ change: (inout ProgressMeter, Duration) -> TransferProgress?
    ) {
        let now = clock.now()
        let news: TransferProgress? = meters.withLock { meters in
            guard var meter = meters[direction] else {
                return nil
            }
            defer { meters[direction] = meter }
            return change(&meter, now)
        }
        guard let news else {
            return
        }
        let progress = CallProgress(direction, news)
        for handler in sinks.handlers {
            handler(progress)
        }
        for scope in sinks.scopes {
            scope.update(call, progress)
        }
        emit?(progress)
    }
}

// MARK: - Bodies

extension ProgressReporter {
    /// Returns a body that reports its progress: a chunk counts as sent once the next one is read.
    func measured(_ body: RequestBody) -> RequestBody {
        begin(.sent, total: body.length)
        // A transport may keep its request, and with it what takes the progress.
        let chunks: @Sendable () throws -> RequestBody.Chunks = { [weak self] in
            self?.begin(.sent, total: body.length)
            return MeasuredChunks(body: body, reporter: self)
        }
        return RequestBody(
            content: .stream(length: body.length, ChunkSource(isRepeatable: body.isRepeatable, chunks)),
            contentType: body.contentType
        )
    }

    /// Returns a response that reports the progress of reading its body.
    func measured(_ response: RawResponse) -> RawResponse {
        guard let stream = response.stream else {
            return response
        }
        var response = response
        let isCoded = response.headers.contains(.contentEncoding)
        begin(.received, total: isCoded ? nil : response.headers[.contentLength].flatMap { Int64($0) })
        response.stream = ByteStream(MeasuredSource(stream.release(), self))
        return response
    }

    /// Reports a body that came at once.
    func receive(whole count: Int) {
        let isNew = meters.withLock { $0[.received] == nil }
        if isNew {
            begin(.received, total: Int64(count))
            add(count, .received)
        }
        finish(.received)
    }
}

/// The chunks of a body, in pieces that are small enough for a progress.
private struct MeasuredChunks: AsyncSequence, Sendable {
    typealias Element = Data
    typealias Failure = any Error

    private static let pieceSize = 64 << 10

    let body: RequestBody
    let reporter: ProgressReporter?

    func makeAsyncIterator() -> Iterator {
        Iterator(body: body, reporter: reporter)
    }

    struct Iterator: AsyncIteratorProtocol {
        let body: RequestBody
        let reporter: ProgressReporter?
        private var reader: ChunkReader?
        private var rest = Data()
        private var last = 0

        init(body: RequestBody, reporter: ProgressReporter?) {
            self.body = body
            self.reporter = reporter
        }

        mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Data? {
            reporter?.add(last, .sent)
            last = 0
            if rest.isEmpty {
                guard let chunk = try await chunk() else {
                    reporter?.finish(.sent)
                    return nil
                }
                rest = chunk
            }
            let piece = rest.prefix(MeasuredChunks.pieceSize)
            rest = rest.dropFirst(MeasuredChunks.pieceSize)
            last = piece.count
            reporter?.handOver(last)
            return piece
        }

        private mutating func chunk() async throws -> Data? {
            do {
                let reader = try self.reader ?? ChunkReader(body)
                self.reader = reader
                return try await reader.next()
            } catch let error as BodySourceError {
                // The reader of these chunks wraps it again.
                throw error.underlying
            }
        }
    }
}

/// Counts the bytes of a response as they are read.
private final class MeasuredSource: ByteSource {
    private let base: any ByteSource
    private let reporter: ProgressReporter

    init(_ base: any ByteSource, _ reporter: ProgressReporter) {
        self.base = base
        self.reporter = reporter
    }

    func next() async throws -> Data? {
        do {
            let chunk = try await base.next()
            if let chunk {
                reporter.add(chunk.count, .received)
            } else {
                reporter.finish(.received)
                reporter.end()
            }
            return chunk
        } catch {
            reporter.end()
            throw error
        }
    }

    func cancel() {
        base.cancel()
        reporter.end()
    }
}

/// Those that the progress of a call is reported to.
struct ProgressSinks: Sendable {
    typealias Handler = @Sendable (CallProgress) -> Void

    var handlers: [Handler] = []
    var scopes: [ProgressScope] = []

    /// False if another one reports for the call, as a download does for its requests.
    var isOpen = true

    var isEmpty: Bool { handlers.isEmpty && scopes.isEmpty }

    /// No reports, whatever the surroundings want.
    static let closed: ProgressSinks = {
        var sinks = ProgressSinks()
        sinks.isOpen = false
        return sinks
    }()
}

extension CallOptionKey<ProgressSinks> {
    static var progress: Self { Self("progress", needs: .progress) { _ in "reported" } }
}

extension CallOptionKey<Bool> {
    static var progressEvents: Self { Self("progress events", comparison: .byValue, needs: .progress) { "\($0)" } }
}
