// SPDX-License-Identifier: MIT

public import RestEssentials

extension JobGraphError: LocalizedError {
    /// The ``message``, which `localizedDescription` returns.
    public var errorDescription: String? { message }
}
