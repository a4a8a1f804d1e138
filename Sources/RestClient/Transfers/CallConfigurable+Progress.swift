// SPDX-License-Identifier: MIT

extension CallConfigurable {
    /// Makes the progress of calls an event, ``ClientEvent/Kind-swift.enum/progressed(_:)``; it is none by default.
    ///
    /// The bodies of such calls are measured while there is an observer, which takes a little time for each chunk. To
    /// follow one call, use ``RequestNode/onProgress(of:_:)``; to follow many as a sum,
    /// ``RestClientManager/withProgress(of:_:isolation:operation:)``.
    ///
    /// - Parameter isEnabled: Pass `false` to take back what an outer level says.
    /// - Returns: A changed copy.
    public consuming func progressEvents(_ isEnabled: Bool = true) -> Self {
        options[.progressEvents] = isEnabled
        return self
    }
}
