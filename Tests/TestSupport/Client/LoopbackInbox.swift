// SPDX-License-Identifier: MIT

/// The bytes that have come on a connection and have not been taken.
struct LoopbackInbox: Sendable {
    /// The result with which a waiter is resumed.
    typealias Outcome<Value: Sendable> = Result<Value, LoopbackConnectionError>

    private(set) var hasEnded = false
    private var bytes: [UInt8] = []
    private var error: LoopbackConnectionError?
    private var awaitsHandshake: Bool
    private var negotiatedProtocol: String?

    init(awaitsHandshake: Bool) {
        self.awaitsHandshake = awaitsHandshake
    }

    // MARK: - Events
    mutating func append(_ received: some Sequence<UInt8>) {
        bytes += received
    }

    mutating func finishHandshake(negotiatedProtocol: String?) {
        awaitsHandshake = false
        self.negotiatedProtocol = negotiatedProtocol
    }

    /// Keeps the first error: what follows it is its consequence.
    mutating func fail(_ error: LoopbackConnectionError) {
        self.error = self.error ?? error
    }

    mutating func end() {
        hasEnded = true
    }

    // MARK: - Waiting
    /// The protocol agreed on, once it is.
    var handshakeResult: Outcome<String?>? {
        awaitsHandshake ? ending.map { error in .failure(error) } : .success(negotiatedProtocol)
    }

    mutating func take(count: Int) -> Outcome<[UInt8]>? {
        guard bytes.count >= count else {
            return ending.map { error in .failure(error) }
        }
        return .success(takeFirst(count))
    }

    mutating func take(through pattern: [UInt8]) -> Outcome<[UInt8]>? {
        let starts = 0..<max(0, bytes.count - pattern.count + 1)
        guard let start = starts.first(where: { start in bytes[start...].starts(with: pattern) }) else {
            return ending.map { error in .failure(error) }
        }
        return .success(takeFirst(start + pattern.count))
    }

    mutating func takeToEnd() -> Outcome<[UInt8]>? {
        guard hasEnded else {
            return nil
        }
        if let error {
            return .failure(error)
        }
        return .success(takeFirst(bytes.count))
    }

    /// Why no more bytes come; `nil` while they may.
    private var ending: LoopbackConnectionError? {
        hasEnded ? error ?? .closed(received: bytes) : nil
    }

    private mutating func takeFirst(_ count: Int) -> [UInt8] {
        let taken = Array(bytes.prefix(count))
        bytes.removeFirst(count)
        return taken
    }
}
