// SPDX-License-Identifier: MIT

public import RestEssentials

extension SharedData {
    /// What an acknowledged write outlives.
    public enum Durability: Sendable, Hashable {
        /// The death of the process, `kill -9` included; the last writes may be lost when the machine loses power.
        ///
        /// SQLite's `synchronous=NORMAL` in WAL mode. The file is never damaged by a loss of power either way.
        case processDeath

        /// A loss of power too: every commit waits for the disk.
        ///
        /// SQLite's `synchronous=FULL`, on Apple platforms with `fullfsync`.
        case powerLoss
    }

    /// The habits of a ``SharedData``.
    public struct Configuration: Sendable {
        /// What an acknowledged write outlives.
        ///
        /// The default is ``Durability-swift.enum/powerLoss``.
        public var durability = Durability.powerLoss

        /// How long to wait for another process that writes to the same file.
        ///
        /// The default is 30 seconds.
        public var busyTimeout: Duration = .seconds(30)

        /// The most connections that read at once.
        ///
        /// The default is 2; each is opened when first needed.
        public var readerLimit = 2

        /// The clock for times to live.
        ///
        /// The default is the system's clock.
        public var now: @Sendable () -> Date = { Date() }

        /// Creates the default configuration.
        public init() {}
    }
}
