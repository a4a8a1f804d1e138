// SPDX-License-Identifier: MIT

public import HTTPTypes
public import RestEssentials

extension RequestNode {
    /// Loads the response's body into a file.
    ///
    /// ```swift
    /// let line = ProgressLine("today.tar")
    /// try await manager.request(.backup).download(to: "/backups/today.tar", progress: line.show)
    /// line.finish()
    /// ```
    ///
    /// The bytes go to `path.partial` first, which takes its place once all of them are there and their digest is
    /// right: that of the server (`Repr-Digest`), if it gives one, and the caller's. A download that is cut resumes
    /// where it stopped (`Range`, `If-Range`), as often as the call's
    /// ``CallConfigurable/retry(_:)`` allows, and with the next call, in another process, too. It begins
    /// again if the file has changed on the server, or cannot be distinguished from another version.
    ///
    /// A request with an unsafe method (POST, PATCH) is sent once, for the whole file, and is not resumed: what it
    /// loaded is dropped when it fails. It is retried, from the first byte on, only if it had no effect, or if
    /// ``/JobGraphs/RetryPolicy/retriesUnsafeWork`` is true.
    ///
    /// The timeout is that for each head, and for the longest pause between two chunks. See ``stream()`` for what else
    /// is different from other calls. To observers the download is one call, and each request an attempt. It is in
    /// `manager.calls` until its end, also while it waits for the next attempt or its digest is computed; one that is
    /// cancelled there leaves the file that was there in its place. The original error decides about that attempt;
    /// error mappers replace only the error that is thrown.
    ///
    /// The node's handlers for the start, the progress and the failure are called once, for the download and not for
    /// its requests. Those for responses are not called, because no model is decoded: the file is the result.
    ///
    /// - Parameters:
    ///   - path: The path of the file; one that is there is replaced.
    ///   - policy: How the file is downloaded.
    ///   - sha256: The SHA-256 digest that the file must have; any by default.
    ///   - progress: Takes the progress of the download, a few times a second, besides the handlers of
    ///     ``onProgress(of:_:)``.
    /// - Returns: The file.
    /// - Throws: ``RestClientError``, an error of your own code, or `CancellationError` when the task is cancelled.
    ///   What was loaded stays for later, unless its digest is wrong or the method is unsafe.
    @concurrent
    @discardableResult
    public func download(
        to path: String,
        _ policy: DownloadPolicy = DownloadPolicy(),
        sha256: Data? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> DownloadedFile {
        // It is running while its handlers run, too: from before the first one to the end of the last one.
        let series = sender.transferSeries(of: self)
        let transfer = TransferCallbacks(handlers.callbacks) { series.close() }
        var takers: [ProgressSinks.Handler] = []
        if let progress {
            takers.append { progress($0.transfer) }
        }
        if let report = transfer.report {
            takers.append(report)
        }
        await transfer.start()
        do {
            let source = try FileDownload(self, to: path, policy, sha256: sha256, series, handlers: takers)
            var loop = ReconnectingLoop(source)
            guard let file = try await loop.next() else {
                throw CancellationError()
            }
            await loop.finish()
            transfer.end(nil)
            return file
        } catch {
            series.end()
            let failure = CallFailure(error)
            transfer.end(failure.error, failure.failureClass)
            await transfer.ended()
            throw failure.error
        }
    }
}

/// A file that was downloaded.
public struct DownloadedFile: Sendable {
    /// The number of bytes in the file.
    public let length: Int64

    /// The header fields of the last response; empty if all bytes were there before.
    public let headers: HTTPFields
}

extension DownloadedFile: MirroredByDescription {
    /// The length and the header fields, with secrets masked.
    public var description: String {
        ["\(length) bytes", Redaction.headers(headers)].filter { !$0.isEmpty }.joined(separator: "\n")
    }
}
