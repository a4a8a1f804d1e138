// SPDX-License-Identifier: MIT

extension ExpiringCache {
    package var memoryByteLimit: Int { configuration.memoryByteLimit }

    /// Creates an empty cache for entries that must never be written to a file, with the limits of this one's memory
    /// tier.
    ///
    /// - Returns: The cache. It encodes nothing, as its entries never leave the memory.
    package func makeMemoryOnly() -> ExpiringCache {
        var limits = Configuration()
        limits.byteLimit = configuration.memoryByteLimit
        limits.entryByteLimit = min(configuration.entryByteLimit, configuration.memoryByteLimit / 8)
        limits.memoryByteLimit = configuration.memoryByteLimit
        limits.onEvent = configuration.onEvent
        return ExpiringCache(configuration: limits)
    }
}
