// SPDX-License-Identifier: MIT

extension ReachabilityProbe {
    /// The states from now on: the current one, then each change, until the reading task is cancelled.
    ///
    /// A slow reader skips intermediate states and always receives the latest one.
    public var states: some AsyncSequence<Reachability, Never> & Sendable { States(probe: self) }

    private struct States: AsyncSequence, Sendable {
        let probe: ReachabilityProbe

        func makeAsyncIterator() -> Iterator { Iterator(probe: probe) }

        struct Iterator: AsyncIteratorProtocol {
            let probe: ReachabilityProbe
            private var last: Reachability?

            init(probe: ReachabilityProbe) {
                self.probe = probe
            }

            /// Waits for a change; `nil` when the task is cancelled.
            mutating func next() async -> Reachability? {
                last = await probe.change(from: last)
                return last
            }
        }
    }
}
