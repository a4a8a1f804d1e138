// SPDX-License-Identifier: MIT

public import RestEssentials

extension StoreError: LocalizedError {
    /// The ``reason``, which `localizedDescription` returns.
    public var errorDescription: String? { reason }

    /// The ``advice``.
    public var recoverySuggestion: String? { advice }
}
