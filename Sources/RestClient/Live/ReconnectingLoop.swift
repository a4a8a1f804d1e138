// SPDX-License-Identifier: MIT

/// The exchanges of a feed or a download, of which a ``ReconnectingLoop`` runs one after the other.
///
/// A method that throws ends the series with the error.
package protocol ReconnectingSource {
    associatedtype Element: Sendable

    var reconnection: ReconnectionStateMachine { get set }

    func beginSeries() -> CallSeries

    mutating func connect(in series: CallSeries) async throws -> ReconnectionStateMachine.Action

    /// Returns the next element of the exchange; without one, sets the next action unless that is to read on.
    mutating func read(_ action: inout ReconnectionStateMachine.Action) async throws -> Element?

    /// Emits that the next request is sent after a wait.
    func announce(_ delay: Duration, in series: CallSeries)

    func failure(_ error: any Error) async -> CallFailure

    /// Gives up the exchange, because the series ends.
    mutating func close(_ error: (any Error)?) async
}

/// Sends the requests of a feed or a download as one series, waits between them, and ends the series.
///
/// It works only while an element is asked for. Releasing it cancels the series.
package struct ReconnectingLoop<Source: ReconnectingSource> {
    package private(set) var source: Source
    private var series: CallSeries?

    package init(_ source: Source) {
        self.source = source
    }

    package mutating func next() async throws(CallFailure) -> Source.Element? {
        do {
            var action = source.reconnection.start()
            while true {
                try Task.checkCancellation()
                switch action {
                case .connect:
                    let series = series ?? source.beginSeries()
                    self.series = series
                    try series.checkCancellation()
                    action = try await source.connect(in: series)
                case .read:
                    if let element = try await source.read(&action) {
                        return element
                    }
                case .wait(let delay):
                    if let series {
                        source.announce(delay, in: series)
                        try await series.pause(delay)
                    }
                    action = source.reconnection.waited()
                case .none, .finish:
                    await finish()
                    return nil
                case .fail(let error):
                    throw error
                }
            }
        } catch {
            _ = source.reconnection.finish()
            await source.close(error)
            let failure =
                if error is CancellationError { CallFailure(error) } else { await source.failure(error) }
            series?.end(.failed(failure))
            throw failure
        }
    }

    package mutating func finish() async {
        _ = source.reconnection.finish()
        await source.close(nil)
        series?.end(.complete)
    }
}
