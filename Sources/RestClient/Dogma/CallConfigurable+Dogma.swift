// SPDX-License-Identifier: MIT

extension CallConfigurable {
    /// Sets the dogma that encodes models and decodes responses; ``DogmaAlias/json`` if no level sets it.
    ///
    /// - Parameter alias: The dogma's name.
    /// - Returns: A changed copy.
    public consuming func dogma(_ alias: DogmaAlias) -> Self {
        options[.dogma] = alias
        return self
    }

    /// Sets how the names of members relate to those of properties; the dogma decides if no level sets it.
    ///
    /// It holds for request models, queries, responses, the bodies of errors, and for dummies that respond with a model
    /// of the call. Journals store results in a format of their own, and return them equal with any strategy.
    /// ``JSONDogma``, ``FormDogma``, ``EnvelopeDogma`` and `XMLDogma` heed it; ``PropertyListDogma`` does not, and
    /// ``RestClientManager/lint()`` reports that. A dogma of your own finds it in its ``DogmaRequest``.
    ///
    /// - Parameter strategy: The strategy.
    /// - Returns: A changed copy.
    public consuming func keyStrategy(_ strategy: KeyStrategy) -> Self {
        options[.keyStrategy] = strategy
        return self
    }

    /// Sets the format of dates; the dogma decides if no level sets it.
    ///
    /// It holds where ``keyStrategy(_:)`` does.
    ///
    /// - Parameter strategy: The strategy.
    /// - Returns: A changed copy.
    public consuming func dateStrategy(_ strategy: DateStrategy) -> Self {
        options[.dateStrategy] = strategy
        return self
    }
}

extension CallOptionKey<KeyStrategy> {
    static var keyStrategy: Self {
        Self("key strategy", decidesResponse: true, comparison: .byValue) { "\($0)" }
    }
}

extension CallOptionKey<DateStrategy> {
    static var dateStrategy: Self {
        Self("date strategy", decidesResponse: true, comparison: .byValue) { $0.description }
    }
}

extension CallOptionKey<DogmaAlias> {
    static var dogma: Self { Self("dogma") { $0.rawValue } }
}
