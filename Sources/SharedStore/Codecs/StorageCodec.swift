// SPDX-License-Identifier: MIT

public import RestEssentials

/// Encodes bytes on their way into a store and decodes them on their way out.
///
/// Built in are ``identity``, ``gzip``, ``sealed(_:previous:)`` and ``gzipSealed(_:previous:level:)``. Gzip hides
/// nothing: anyone who reads the file reads the value; use a sealed codec for what must stay secret.
///
/// To write a codec of your own, give it an ``identifier`` that no other codec of your program has. It is stored with
/// each value, so it must stay the same for as long as values of it exist; give a changed format a new identifier.
///
/// ```swift
/// struct Reversed: StorageCodec {
///     let identifier = "example.reversed"
///     func encode(_ data: Data, context: CodecContext) -> Data { Data(data.reversed()) }
///     func decode(_ data: Data, context: CodecContext) -> Data { Data(data.reversed()) }
/// }
/// ```
public protocol StorageCodec: Sendable {
    /// The name of the codec in stored values: 1 to 64 bytes of UTF-8.
    var identifier: String { get }

    /// Distinguishes this codec from another one with the same identifier, for example by the identifier of its key.
    ///
    /// A value that was decoded by one codec is not handed out by another. The default is empty.
    var variant: String { get throws }

    /// A Boolean value that tells whether values encoded with it are secret and authenticated; then plain values are
    /// not accepted in their place.
    ///
    /// The default is false.
    var isSealed: Bool { get }

    /// Encodes bytes.
    ///
    /// - Parameters:
    ///   - data: The bytes of the value.
    ///   - context: Where the value is stored.
    /// - Returns: The bytes to store.
    /// - Throws: What keeps the bytes from being encoded; it is wrapped in a ``StoreError``.
    func encode(_ data: Data, context: CodecContext) throws -> Data

    /// Decodes what ``encode(_:context:)`` returned.
    ///
    /// - Parameters:
    ///   - data: The stored bytes, which may be damaged or forged.
    ///   - context: Where the value is stored.
    /// - Returns: The bytes of the value.
    /// - Throws: What is wrong with the bytes; it is wrapped in a ``StoreError``.
    func decode(_ data: Data, context: CodecContext) throws -> Data

    /// Returns whether these bytes are as this codec would encode them today; otherwise the value is written again when
    /// read.
    ///
    /// The default is true. A sealed codec returns false for bytes sealed with a previous key.
    func isCurrent(_ data: Data) -> Bool
}

extension StorageCodec {
    /// An empty variant.
    public var variant: String { "" }

    /// False: values are neither secret nor authenticated.
    public var isSealed: Bool { false }

    /// True: a codec without keys always encodes alike.
    public func isCurrent(_ data: Data) -> Bool { true }
}
