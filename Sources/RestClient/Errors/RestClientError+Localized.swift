// SPDX-License-Identifier: MIT

public import RestEssentials

extension RestClientError: LocalizedError {
    /// The ``message``, which `localizedDescription` returns.
    public var errorDescription: String? { message }
}
