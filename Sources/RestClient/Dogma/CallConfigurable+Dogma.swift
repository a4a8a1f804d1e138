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

    /// Sets how dogmas code names and dates; one that is not given here is left to the outer levels, and then to the
    /// dogma.
    ///
    /// Both hold for request models, queries, responses, the bodies of errors, and for dummies that respond with a
    /// model of the call. Journals store results in another format, and return them equal with any strategy.
    /// ``JSONDogma``, ``FormDogma``, ``EnvelopeDogma`` and `XMLDogma` apply them; ``PropertyListDogma`` does not, and
    /// ``RestClientManager/lint()`` reports that. A dogma of your own finds them in its ``DogmaRequest``.
    ///
    /// - Parameters:
    ///   - keys: How the names of members relate to those of properties.
    ///   - dates: The format of dates.
    /// - Returns: A changed copy.
    public consuming func coding(keys: KeyStrategy? = nil, dates: DateStrategy? = nil) -> Self {
        options[.keyStrategy] = keys ?? options[.keyStrategy]
        options[.dateStrategy] = dates ?? options[.dateStrategy]
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
