// SPDX-License-Identifier: MIT

import RestEssentials

/// How the server's response of today differs from the one that was recorded.
public struct RecordingDrift: Sendable, Hashable, CustomStringConvertible {
    /// The exchange's place in the recording.
    public let index: Int

    /// The request that was sent again, masked.
    public let request: HAR.Request

    /// The differences in words: of the status, of header fields, and of the shape of a JSON body.
    public let differences: [String]

    /// The request, and the differences one below the other.
    public var description: String {
        (["\(request.method) \(request.url):"] + differences.map { "  \($0)" }).joined(separator: "\n")
    }

    /// Header fields that are different each time, or that say how the bytes travelled.
    private static let volatileFields: Set<String> = [
        "age", "connection", "content-encoding", "content-length", "date", "etag", "expires", "keep-alive",
        "last-modified",
        "retry-after", "set-cookie", "transfer-encoding",
    ]

    /// What is different in a response; empty when it is what was recorded, but for values.
    static func differences(from recorded: HAR.Response, to today: HAR.Response) -> [String] {
        var differences: [String] = []
        if recorded.status != today.status {
            differences.append("status: was \(recorded.status), is \(today.status)")
        }
        let (before, after) = (fields(of: recorded), fields(of: today))
        for name in Set(before.keys).union(after.keys).sorted() {
            switch (before[name], after[name]) {
            case (.some, nil): differences.append("header field \(name): is missing")
            case (nil, .some): differences.append("header field \(name): is new")
            case (let before?, let after?) where name == "content-type" && before != after:
                differences.append("header field \(name): was '\(before)', is '\(after)'")
            default: break
            }
        }
        switch (shape(of: recorded), shape(of: today)) {
        case (let before?, let after?):
            differences += before.differences(to: after).map { "body: \($0)" }
        case (.some, nil):
            differences.append("body: is no JSON any more")
        case (nil, .some):
            differences.append("body: is JSON now")
        case (nil, nil):
            break
        }
        return differences
    }

    /// A URL without the items of its query whose values are masked.
    fileprivate static func withoutMaskedItems(_ url: String) -> String {
        guard let mark = url.firstIndex(of: "?") else {
            return url
        }
        let masked = "=" + PercentEncoding.encode(Redaction.mask)
        let items = url[url.index(after: mark)...].split(separator: "&").filter { !$0.hasSuffix(masked) }
        return url[..<mark] + (items.isEmpty ? "" : "?" + items.joined(separator: "&"))
    }

    private static func fields(of response: HAR.Response) -> [String: String] {
        let fields = response.headers.map { ($0.name.lowercased(), $0.value) }
        return Dictionary(fields) { first, _ in first }.filter { !volatileFields.contains($0.key) }
    }

    private static func shape(of response: HAR.Response) -> JSONShape? {
        (try? JSONDecoder().decode(JSONValue.self, from: response.body.bytes)).map { JSONShape($0) }
    }
}

extension RestClientManager {
    /// Sends the requests of a recording to their servers again, and tells how the responses differ from the recorded ones.
    ///
    /// Values may differ; what is compared is the status, which header fields there are, the media type, and the shape of JSON
    /// bodies. Requests are sent one after the other, through the transport alone. Those whose method may change something at
    /// the server are left out unless `includesUnsafe` says otherwise.
    ///
    /// ```swift
    /// let drift = try await manager.drift(of: HAR(file: file)) { request in
    ///     request.headers[.authorization] = "Bearer \(token)"
    /// }
    /// #expect(drift.isEmpty)
    /// ```
    ///
    /// - Parameters:
    ///   - archive: The recording.
    ///   - rules: What was masked in it, and is masked in the report.
    ///   - includesUnsafe: Whether requests other than GET, HEAD and OPTIONS are sent too.
    ///   - prepare: Puts in what was masked, credentials for example.
    /// - Returns: One element for each exchange whose answer differs; empty when none does.
    /// - Throws: `CancellationError` when the task is cancelled. A server that does not answer is a difference.
    @concurrent
    public func drift(
        of archive: HAR,
        rules: RecordingRules = RecordingRules(),
        includesUnsafe: Bool = false,
        prepare: @Sendable (inout TransportRequest) throws -> Void = { _ in }
    ) async throws -> [RecordingDrift] {
        let transport = core.transport
        var drift: [RecordingDrift] = []
        for (index, entry) in archive.entries.enumerated() {
            let isSafe = ["GET", "HEAD", "OPTIONS"].contains(entry.request.method)
            guard isSafe || includesUnsafe, var request = entry.request.transportRequest else {
                continue
            }
            // What is masked is no value to send.
            request.headers = .init(request.headers.filter { $0.value != Redaction.mask })
            request.url = RecordingDrift.withoutMaskedItems(request.url)
            request.timeout = core.settings.timeout
            request.responseLimit = core.settings.responseLimit
            try prepare(&request)
            let today: HAR.Response
            do {
                today = HAR.Response(try await transport.send(request))
            } catch let error as CancellationError {
                throw error
            } catch {
                today = HAR.Response(status: 0, error: Redaction.error(error))
            }
            let differences =
                today.error.map { ["no response: \($0)"] }
                ?? RecordingDrift.differences(from: entry.response, to: today)
            if !differences.isEmpty {
                drift.append(
                    RecordingDrift(index: index, request: rules.masked(entry.request), differences: differences)
                )
            }
        }
        return drift
    }
}
