// SPDX-License-Identifier: MIT

public import RestEssentials

/// The place of a stored value, to which a sealed codec binds it.
public struct CodecContext: Sendable, Hashable {
    /// The key's name.
    public var name: String

    /// The header of the value's envelope, to which it is also bound.
    public var header: Data

    /// Creates a context.
    ///
    /// - Parameters:
    ///   - name: The key's name.
    ///   - header: The header of the value's envelope. Defaults to empty.
    public init(name: String, header: Data = Data()) {
        self.name = name
        self.header = header
    }
}
