// SPDX-License-Identifier: MIT

extension CachePolicy {
    /// Returns the policy, storing responses in memory only: they are never written to the file or the engine of the
    /// cache, and end with the process.
    ///
    /// ```swift
    /// manager.apis[.balance] = API(.get, "/balance").cache(.http.inMemory())
    /// ```
    ///
    /// Calls with any policy find such a response, and the methods of ``RestClientManager/cache`` read, change,
    /// invalidate and remove it. It stays in memory if a call confirms or changes it, and other processes do not see
    /// it. A response of the same request that lies in the file is removed when one is stored in memory, and the
    /// reverse. All of them together have at most as many bytes as the memory tier may have (`memoryByteLimit`, 8 MiB
    /// by default), and each an eighth of that: a larger one is not stored, which is an event.
    ///
    /// - Returns: The changed policy.
    public func inMemory() -> CachePolicy {
        with { $0.isInMemory = true }
    }

    /// Returns the policy, keeping decoded models in memory beside the bytes of their responses: an equal call gets the
    /// model that was decoded before.
    ///
    /// ```swift
    /// manager.apis[.catalogue] = API(.get, "/catalogue").cache(.http.keepingModels())
    /// ```
    ///
    /// Use it for value types only, whose decoding depends on the response alone: an instance of a class would be
    /// shared by all calls. A kept model is handed out only if the stored response is unchanged and fresh, and the call
    /// equals the one that decoded it, also in its model type and its dogma; every other call decodes. So does a call
    /// with a call interceptor, a header provider, a token source or a decoding closure of its own, and one whose
    /// response was selected by `Vary`.
    ///
    /// A kept model counts as many bytes as its body in the limit of the memory tier (`memoryByteLimit`), is evicted
    /// with it, and is not kept if there is no tier.
    ///
    /// - Returns: The changed policy.
    public func keepingModels() -> CachePolicy {
        with { $0.keepsModels = true }
    }
}
