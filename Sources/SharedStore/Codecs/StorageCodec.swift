// SPDX-License-Identifier: MIT

public import RestEssentials

/// Encodes bytes before they are stored and decodes them when they are read.
///
/// Four codecs are built in: ``identity``, ``gzip``, ``sealed(_:previous:)`` and ``gzipSealed(_:previous:level:)``.
/// Gzip hides nothing: anyone who can read the file can read the value; use a sealed codec for secrets.
///
/// A custom codec consists of two closures:
///
/// ```swift
/// extension StorageCodec {
///     static let reversed = StorageCodec(
///         "example.reversed",
///         encode: { data, _ in Data(data.reversed()) },
///         decode: { data, _ in Data(data.reversed()) }
///     )
/// }
/// ```
public struct StorageCodec: Sendable {
    private final class Custom: Sendable {
        let isSealed: Bool
        let variant: @Sendable () throws -> String
        let isCurrent: @Sendable (Data) -> Bool
        let encode: @Sendable (Data, CodecContext) throws -> Data
        let decode: @Sendable (Data, CodecContext) throws -> Data

        init(
            isSealed: Bool,
            variant: @escaping @Sendable () throws -> String,
            isCurrent: @escaping @Sendable (Data) -> Bool,
            encode: @escaping @Sendable (Data, CodecContext) throws -> Data,
            decode: @escaping @Sendable (Data, CodecContext) throws -> Data
        ) {
            self.isSealed = isSealed
            self.variant = variant
            self.isCurrent = isCurrent
            self.encode = encode
            self.decode = decode
        }
    }

    /// The maximum inflated size of a stored value, as a protection against forged ones: 1 GiB.
    static let inflatedLimit = 1 << 30
    package let identifier: String

    /// The effort of compression; `nil` if values are not compressed.
    private var level: Int?
    private var sealing: Sealing?
    private var custom: Custom?

    private init(identifier: String, level: Int? = nil, sealing: Sealing? = nil) {
        self.identifier = identifier
        self.level = level
        self.sealing = sealing
    }

    /// Stores bytes as they are.
    public static let identity = StorageCodec(identifier: "identity")

    /// Compresses bytes with gzip, which does not protect them.
    public static let gzip = gzip(level: Deflater.usualLevel)

    /// Compresses bytes with gzip, which does not protect them.
    ///
    /// - Parameter level: The effort, from 1, the fastest, to 9, the smallest.
    /// - Returns: The codec.
    public static func gzip(level: Int) -> StorageCodec {
        StorageCodec(identifier: "gzip", level: level)
    }

    /// Encrypts and authenticates bytes with AES-GCM.
    ///
    /// A value is bound to its key's name and its envelope. If it is altered or moved to another row, it is rejected
    /// with ``StoreError/Code-swift.struct/tampered``. Each value is stored with the identifier of the key that sealed
    /// it, so a wrong key is distinguished from a forgery. Replacing a value with an older one of the same row is
    /// detected if its key has a ``RollbackGuard``.
    ///
    /// To rotate keys, make the new one current and list the old ones as previous: old values stay readable, and are
    /// resealed with the new key when they are read.
    ///
    /// - Parameters:
    ///   - key: The key that seals values.
    ///   - previous: Other keys, which may open values that they sealed. Defaults to none.
    /// - Returns: The codec.
    public static func sealed(_ key: SealingKey, previous: [SealingKey] = []) -> StorageCodec {
        StorageCodec(identifier: "sealed", sealing: Sealing(key: key, previous: previous))
    }

    /// Compresses bytes, then encrypts and authenticates them like ``sealed(_:previous:)``.
    ///
    /// The length of the result depends on how well the value compresses. Do not use it for values that mix a secret
    /// with text that an attacker chooses and whose stored size the attacker sees.
    ///
    /// - Parameters:
    ///   - key: The key that seals values.
    ///   - previous: Other keys, which may open values that they sealed. Defaults to none.
    ///   - level: The compression effort, from 1, the fastest, to 9, the smallest. Defaults to 6.
    /// - Returns: The codec.
    public static func gzipSealed(_ key: SealingKey, previous: [SealingKey] = [], level: Int = 6) -> StorageCodec {
        StorageCodec(identifier: "gzip+sealed", level: level, sealing: Sealing(key: key, previous: previous))
    }

    /// Creates a custom codec.
    ///
    /// - Parameters:
    ///   - identifier: The name of the codec in stored values: 1 to 64 bytes of UTF-8 that no other codec of your
    ///     program uses. It must stay the same for as long as values of the codec exist; give a changed format a new
    ///     one.
    ///   - isSealed: Pass `true` if encoded values are secret and authenticated; then plain values are not accepted in
    ///     their place. Defaults to `false`.
    ///   - variant: Distinguishes the codec from another one with the same identifier, for example by the identifier of
    ///     its key: a value that was decoded by one is not returned by the other. Defaults to an empty text.
    ///   - isCurrent: Returns true if the codec would encode a value into these bytes today; otherwise the value is
    ///     written again when it is read. Defaults to `true`.
    ///   - encode: Encodes the bytes of a value, for a place in a store. Its errors are wrapped in a ``StoreError``.
    ///   - decode: Decodes the result of `encode`. The bytes may be damaged or forged. Its errors are wrapped in a
    ///     ``StoreError``.
    public init(
        _ identifier: String,
        isSealed: Bool = false,
        variant: @escaping @Sendable () throws -> String = { "" },
        isCurrent: @escaping @Sendable (Data) -> Bool = { _ in true },
        encode: @escaping @Sendable (_ data: Data, _ context: CodecContext) throws -> Data,
        decode: @escaping @Sendable (_ data: Data, _ context: CodecContext) throws -> Data
    ) {
        self.init(identifier: identifier)
        custom = Custom(isSealed: isSealed, variant: variant, isCurrent: isCurrent, encode: encode, decode: decode)
    }

    /// Encodes bytes.
    ///
    /// - Parameters:
    ///   - data: The bytes of a value.
    ///   - context: The key and the envelope of the stored value.
    /// - Returns: The bytes to store.
    /// - Throws: The reason why the bytes cannot be encoded.
    public func encode(_ data: Data, context: CodecContext) throws -> Data {
        if let custom { return try custom.encode(data, context) }
        let packed = try level.map { try Deflater.compress(data, format: .gzip, level: $0) } ?? data
        return try sealing?.seal(packed, context) ?? packed
    }

    /// Decodes the result of ``encode(_:context:)``.
    ///
    /// - Parameters:
    ///   - data: The stored bytes, which may be damaged or forged.
    ///   - context: The key and the envelope of the stored value.
    /// - Returns: The bytes of the value.
    /// - Throws: The reason why the bytes cannot be decoded.
    public func decode(_ data: Data, context: CodecContext) throws -> Data {
        if let custom { return try custom.decode(data, context) }
        let packed = try sealing?.open(data, context) ?? data
        return level == nil ? packed : try Inflater.decompress(packed, format: .gzip, limit: Self.inflatedLimit)
    }

    /// Distinguishes this codec from another one with the same identifier.
    var variant: String {
        get throws { try custom?.variant() ?? sealing?.key.ready.name ?? "" }
    }

    /// A Boolean value that indicates whether values are secret and authenticated.
    package var isSealed: Bool { custom?.isSealed ?? (sealing != nil) }

    var isIdentity: Bool { level == nil && sealing == nil && custom == nil }

    /// Returns true if this codec would encode the value into the same bytes today.
    package func isCurrent(_ data: Data) -> Bool {
        custom?.isCurrent(data) ?? sealing?.isCurrent(data) ?? true
    }
}

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
