// SPDX-License-Identifier: MIT

public import RestEssentials

/// Compresses bytes with gzip.
///
/// Gzip hides nothing: anyone who reads the file can read the value. Use ``StorageCodec/gzipSealed(_:previous:level:)``
/// for what must stay secret.
public struct GzipCodec: StorageCodec {
    /// The maximum inflated size of a stored value, as a protection against forged ones: 1 GiB.
    public static let inflatedLimit = 1 << 30

    private let level: CompressionLevel

    /// The identifier "gzip".
    public var identifier: String { "gzip" }

    /// Creates the codec; ``StorageCodec/gzip`` is shorter.
    ///
    /// - Parameter level: The effort. Defaults to ``CompressionLevel/balanced``.
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
    /// Compresses bytes with gzip, which does not protect them.
    public static var gzip: GzipCodec { GzipCodec() }

    /// Compresses bytes with gzip, which does not protect them.
    ///
    /// - Parameter level: The effort.
    /// - Returns: The codec.
    public static func gzip(level: CompressionLevel) -> GzipCodec { GzipCodec(level: level) }
}
