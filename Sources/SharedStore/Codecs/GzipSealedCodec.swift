// SPDX-License-Identifier: MIT

public import RestEssentials

/// Compresses bytes, then encrypts and authenticates them as ``SealedCodec`` does.
///
/// The length of the result depends on how well the value compresses. Do not use it for values that mix a secret with
/// text that an attacker chooses and whose stored size the attacker sees.
public struct GzipSealedCodec: StorageCodec {
    private let gzip: GzipCodec
    private let sealed: SealedCodec

    /// The identifier "gzip+sealed".
    public var identifier: String { "gzip+sealed" }

    /// True.
    public var isSealed: Bool { true }

    /// The identifier of the current key.
    public var variant: String {
        get throws { try sealed.variant }
    }

    /// Creates the codec; ``StorageCodec/gzipSealed(_:previous:level:)`` is shorter.
    ///
    /// - Parameters:
    ///   - key: The key that seals.
    ///   - previous: Other keys, which may open what they sealed. Defaults to none.
    ///   - level: The compression effort. Defaults to ``CompressionLevel/balanced``.
    public init(_ key: SealingKey, previous: [SealingKey] = [], level: CompressionLevel = .balanced) {
        gzip = GzipCodec(level: level)
        sealed = SealedCodec(key, previous: previous)
    }

    /// Compresses and seals.
    public func encode(_ data: Data, context: CodecContext) throws -> Data {
        try sealed.encode(gzip.encode(data, context: context), context: context)
    }

    /// Opens and inflates.
    public func decode(_ data: Data, context: CodecContext) throws -> Data {
        try gzip.decode(sealed.decode(data, context: context), context: context)
    }

    /// Returns whether the bytes were sealed with the current key.
    public func isCurrent(_ data: Data) -> Bool {
        sealed.isCurrent(data)
    }
}

extension StorageCodec where Self == GzipSealedCodec {
    /// Compresses bytes, then encrypts and authenticates them with AES-GCM.
    ///
    /// - Parameters:
    ///   - key: The key that seals.
    ///   - previous: Other keys, which may open what they sealed. Defaults to none.
    ///   - level: The compression effort. Defaults to ``CompressionLevel/balanced``.
    /// - Returns: The codec.
    public static func gzipSealed(
        _ key: SealingKey,
        previous: [SealingKey] = [],
        level: CompressionLevel = .balanced
    ) -> GzipSealedCodec {
        GzipSealedCodec(key, previous: previous, level: level)
    }
}
