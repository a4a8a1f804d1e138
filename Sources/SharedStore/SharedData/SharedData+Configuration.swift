// SPDX-License-Identifier: MIT

public import RestEssentials

extension SharedData {
    /// The failures that a completed write survives.
    public enum Durability: Sendable, Hashable {
        /// The death of the process, even by `kill -9`. The last writes may be lost if the machine loses power.
        ///
        /// SQLite's `synchronous=NORMAL` in WAL mode. The file is never damaged by a loss of power either way.
        case processDeath

        /// A loss of power: every commit waits for the disk.
        ///
        /// SQLite's `synchronous=FULL`, on Apple platforms with `fullfsync`.
        case powerLoss
    }

    /// The options of a ``SharedData``.
    public struct Configuration: Sendable {
        /// The failures that a completed write survives.
        ///
        /// The default is ``Durability-swift.enum/powerLoss``.
        public var durability = Durability.powerLoss

        /// The maximum time to wait for another process that writes to the same file, and to repeat a write that others
        /// overtake.
        ///
        /// The default is 30 seconds.
        public var busyTimeout: Duration = .seconds(30)

        /// The clock for times to live.
        ///
        /// The default is the system's clock.
        public var now: @Sendable () -> Date = { Date() }

        /// Creates the default configuration.
        public init() {}
    }
}
