// SPDX-License-Identifier: MIT

public import RestEssentials

/// Compresses bytes with gzip.
///
/// Gzip hides nothing: anyone who reads the file can read the value. Use ``StorageCodec/gzipSealed(_:previous:level:)``
/// for what must stay secret.
public struct GzipCodec: StorageCodec {
    /// The most bytes that a stored value may inflate to, against forged ones: 1 GiB.
    public static let inflatedLimit = 1 << 30

    private let level: CompressionLevel

    /// The identifier "gzip".
    public var identifier: String { "gzip" }

    /// Creates the codec; ``StorageCodec/gzip`` is shorter.
    ///
    /// - Parameter level: How hard to try; the default is ``CompressionLevel/balanced``.
    public init(level: CompressionLevel = .balanced) {
        self.level = level
    }

    /// Compresses the bytes.
    public func encode(_ data: Data, context: CodecContext) throws -> Data {
        try Deflater.compress(data, format: .gzip, level: level)
    }

    /// Inflates the bytes, up to ``inflatedLimit``.
    public func decode(_ data: Data, context: CodecContext) throws -> Data {
        try Inflater.decompress(data, format: .gzip, limit: Self.inflatedLimit)
    }
}

extension StorageCodec where Self == GzipCodec {
    /// Compresses bytes with gzip, which hides nothing.
    public static var gzip: GzipCodec { GzipCodec() }

    /// Compresses bytes with gzip, which hides nothing.
    ///
    /// - Parameter level: How hard to try.
    /// - Returns: The codec.
    public static func gzip(level: CompressionLevel) -> GzipCodec { GzipCodec(level: level) }
}
