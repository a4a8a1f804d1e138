// SPDX-License-Identifier: MIT

public import RestEssentials

/// Where a value is stored; a sealed codec binds it to this place.
public struct CodecContext: Sendable, Hashable {
    /// The key's name.
    public var name: String

    /// What else the value is bound to: the header of its envelope.
    public var header: Data

    /// Creates a context.
    ///
    /// - Parameters:
    ///   - name: The key's name.
    ///   - header: What else the value is bound to; the default is empty.
    public init(name: String, header: Data = Data()) {
        self.name = name
        self.header = header
    }
}
