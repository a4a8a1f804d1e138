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

    /// Cuts the responses off, unless the connection stays open.
    mutating func finish(_ ending: LoopbackResponse.Ending) {
        switch ending {
        case .complete, .stall: break
        case .close, .cut, .reset, .resetStream: end(LoopbackEvent.cutOff(request:))
        }
    }

    mutating func abort() {
        end(LoopbackEvent.aborted(request:))
    }

    private mutating func end(_ event: (Int) -> LoopbackEvent) {
        for number in numbers {
            log.note(event(number))
        }
        numbers = []
    }
}
