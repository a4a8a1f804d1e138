// SPDX-License-Identifier: MIT

public import SharedStore

extension TokenSource {
    /// Keeps the tokens of the source in shared data, sealed, from now on.
    ///
    /// ```swift
    /// try session.keep(in: manager.sharedData, as: "store session", sealedWith: key)
    /// ```
    ///
    /// If the source has no token, it takes the one that is stored. Each new token is stored: one that was set, and one
    /// of a refresh; setting ``current`` to `nil` removes it. A token that another process stores becomes the current
    /// one of this source, so that processes share a session.
    ///
    /// The source lives on while the store fails: it then has tokens that the store does not.
    ///
    /// - Parameters:
    ///   - data: The shared data; it is kept alive by the source.
    ///   - name: The name of the value. Each source needs one of its own: sources with the same name share their
    ///     tokens, and would send those of one server to another.
    ///   - key: The key that seals the token.
    ///   - previous: Other keys, whose tokens are read and sealed again.
    ///   - onFailure: Takes the error if a token cannot be stored; ignored by default.
    /// - Throws: `StoreError` if the stored token cannot be read or opened. The source is unchanged then.
    public func keep(
        in data: SharedData,
        as name: String,
        sealedWith key: SealingKey,
        previous: [SealingKey] = [],
        onFailure: @escaping @Sendable (any Error) -> Void = { _ in }
    ) throws(StoreError) {
        let place = SharedKey<AccessToken>(name, codec: .sealed(key, previous: previous))
        let stored = try data.value(for: place)
        let observation = data.observe(place) { [weak self] change in
            // What this process stores is its source's token already, or an older one.
            if change.origin == .anotherProcess, change.error == nil {
                self?.adopt(change.newValue)
            }
        }
        let keeping = TokenKeeping(observation) { token in
            do {
                if let token {
                    if try data.value(for: place) != token {
                        try data.set(token, for: place)
                    }
                } else {
                    try data.remove(place)
                }
            } catch {
                onFailure(error)
            }
        }
        begin(keeping)
        if let current {
            keeping.store(current)
        } else if let stored {
            adopt(stored)
        }
    }
}

/// The place where a source keeps its tokens.
final class TokenKeeping: Sendable {
    /// Stores a token; `nil` removes it.
    let store: @Sendable (AccessToken?) -> Void
    private let observation: ObservationToken

    init(_ observation: ObservationToken, store: @escaping @Sendable (AccessToken?) -> Void) {
        self.observation = observation
        self.store = store
    }
}
