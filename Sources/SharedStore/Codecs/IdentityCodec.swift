// SPDX-License-Identifier: MIT

public import RestEssentials

/// Stores bytes as they are.
public struct IdentityCodec: StorageCodec {
    /// The identifier "identity".
    public var identifier: String { "identity" }

    /// Creates the codec; ``StorageCodec/identity`` is shorter.
    public init() {}

    /// Returns the bytes.
    public func encode(_ data: Data, context: CodecContext) -> Data { data }

    /// Returns the bytes.
    public func decode(_ data: Data, context: CodecContext) -> Data { data }
}

extension StorageCodec where Self == IdentityCodec {
    /// Stores bytes as they are.
    public static var identity: IdentityCodec { IdentityCodec() }
}
