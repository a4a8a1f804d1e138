// SPDX-License-Identifier: MIT

/// A model that encodes itself as the body of a request, regardless of the call's dogma.
///
/// ```swift
/// struct Invoice: RequestPayload {
///     let lines: [String]
///
///     func requestBody() -> RequestBody {
///         .bytes(Data(lines.joined(separator: ";").utf8), contentType: "text/csv")
///     }
/// }
///
/// try await manager.request(.invoices).post().body(Invoice(lines: ["tea", "milk"])).send()
/// ```
///
/// A model that is `Encodable` too is encoded by itself, not by the dogma.
public protocol RequestPayload: Sendable {
    /// Returns the body; it is asked for once for each call, when the call is sent.
    ///
    /// - Throws: Any error, which fails the call with ``RestClientError/Code-swift.struct/encodingFailed``.
    func requestBody() throws -> RequestBody
}
