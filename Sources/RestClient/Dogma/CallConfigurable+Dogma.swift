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
}

extension CallOptionKey<DogmaAlias> {
    static var dogma: Self { Self("dogma") { $0.rawValue } }
}
