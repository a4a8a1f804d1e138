// SPDX-License-Identifier: MIT

extension ReachabilityProbe {
    /// The states from now on: the current one, then each change, until the reading task is cancelled.
    ///
    /// A slow reader skips intermediate states and always receives the latest one.
    public var states: States { States(probe: self) }

    /// The states of a server from now on.
    public struct States: AsyncSequence, Sendable {
        let probe: ReachabilityProbe

        /// Creates an iterator.
        public func makeAsyncIterator() -> Iterator { Iterator(probe: probe) }

        /// An iterator over the states of a server.
        public struct Iterator: AsyncIteratorProtocol {
            let probe: ReachabilityProbe
            private var last: Reachability?

            init(probe: ReachabilityProbe) {
                self.probe = probe
            }

            /// Waits for a change; `nil` when the task is cancelled.
            public mutating func next() async -> Reachability? {
                last = await probe.change(from: last)
                return last
            }
        }
    }
}
