// SPDX-License-Identifier: MIT

extension RequestNode {
    /// Sends a file as the body, and decodes the response.
    ///
    /// ```swift
    /// let line = ProgressLine("today.tar")
    /// try await manager.request(.backup).upload(from: "/backups/today.tar", progress: line.show)
    /// line.finish()
    /// ```
    ///
    /// The file is read while it is sent, and only as fast as the network accepts it. It replaces a body that was set
    /// before: this is ``body(_:)-(RequestBody)`` with ``RequestBody/file(_:contentType:)-(String,_)``, and then
    /// ``send()``. The call's timeout is that of the whole upload, so give large files more time. A retry begins again
    /// with the first byte.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - contentType: Its media type; derived from its name by default.
    ///   - progress: Takes how far the upload has come, a few times a second, besides the handlers of
    ///     ``onProgress(_:)``.
    /// - Returns: The model.
    /// - Throws: ``RestClientError``, an error of your own code, or `CancellationError` when the task is cancelled. A
    ///   call with the method GET or HEAD is not sent, and fails with
    ///   ``RestClientError/Code-swift.struct/bodyNotAllowed``.
    @concurrent
    @discardableResult
    public func upload(
        from path: String,
        contentType: String? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Model {
        var node = self
        node.specification.isUpload = true
        node.specification.model = .content(.file(path, contentType: contentType))
        if let progress {
            node.specification.report { report in
                if report.direction == .sent {
                    progress(report.transfer)
                }
            }
        }
        return try await node.send()
    }
}
