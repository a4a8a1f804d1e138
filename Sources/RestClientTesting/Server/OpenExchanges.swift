// SPDX-License-Identifier: MIT

/// The requests of a connection or a stream whose responses have not ended.
///
/// A codec keeps it on its event loop, where the end of a response and the end of a connection are ordered: a response
/// ends before its last byte is sent, so a client that closes the connection after reading it aborts nothing.
struct OpenExchanges {
    private let log: Monitor<ServerLog>
    private var numbers: [Int] = []

    init(log: Monitor<ServerLog>) {
        self.log = log
    }

    mutating func start() -> Int {
        let number = log.update { log in log.startRequest() }
        numbers.append(number)
        return number
    }

    mutating func respond() {
        guard !numbers.isEmpty else {
            return
        }
        let number = numbers.removeFirst()
        log.note(.responded(request: number))
    }

    mutating func cutOff() {
        end { number in .cutOff(request: number) }
    }

    mutating func abort() {
        end { number in .aborted(request: number) }
    }

    private mutating func end(_ event: @Sendable (Int) -> LoopbackEvent) {
        guard !numbers.isEmpty else {
            return
        }
        let events = numbers.map(event)
        numbers = []
        log.update { log in
            for event in events {
                log.append(event)
            }
        }
    }
}
