// SPDX-License-Identifier: MIT

import HTTPTypes
public import RestClient

/// Recording and comparing the exchanges of one manager; see ``RestClient/RestClientManager/recording``.
public struct TrafficRecording: Sendable {
    let manager: RestClientManager

    // MARK: - Recording

    /// Records all exchanges of the manager from now on.
    ///
    /// - Parameter recorder: The recorder. It stays attached until ``stop(_:)``.
    public func start(_ recorder: HARRecorder) {
        manager.taps.attach(recorder)
    }

    /// Stops a recording.
    ///
    /// Exchanges that are under way are still recorded.
    ///
    /// - Parameter recorder: The recorder.
    public func stop(_ recorder: HARRecorder) {
        manager.taps.detach(recorder)
    }

    // MARK: - Comparing

    /// Sends the requests of a recording again and returns how the responses differ from the recorded ones.
    ///
    /// Values may differ. The status, the names of header fields, the media type and the shape of JSON bodies are
    /// compared. Requests are sent one after another, directly through the transport. Requests with an unsafe method
    /// are omitted unless `includesUnsafe` is true.
    ///
    /// ```swift
    /// let drift = try await manager.recording.drift(of: HAR(file: file)) { request in
    ///     request.headers[.authorization] = "Bearer \(token)"
    /// }
    /// #expect(drift.isEmpty)
    /// ```
    ///
    /// Requests are sent by the transport alone. Of pinned keys, it checks those of the manager and of the registered
    /// server whose address begins the URL.
    ///
    /// - Parameters:
    ///   - archive: The recording.
    ///   - rules: The rules that masked it. They mask the report as well.
    ///   - includesUnsafe: True to send requests with methods that are not safe (RFC 9110, section 9.2.1) too.
    ///   - prepare: Restores masked values, such as credentials.
    /// - Returns: One element for each exchange whose response differs.
    /// - Throws: `CancellationError` if the task is cancelled, and the errors of `prepare`. A server that cannot be
    ///   reached is a difference.
    @concurrent
    public func drift(
        of archive: HAR,
        rules: RecordingRules = RecordingRules(),
        includesUnsafe: Bool = false,
        prepare: @Sendable (inout TransportRequest) throws -> Void = { _ in }
    ) async throws -> [RecordingDrift] {
        var drift: [RecordingDrift] = []
        for (index, entry) in archive.entries.enumerated() {
            let isSafe = HTTPRequest.Method(entry.request.method)?.isSafe ?? false
            // A WebSocket cannot be asked again without its conversation.
            guard entry.webSocketMessages == nil, isSafe || includesUnsafe, var request = entry.request.transportRequest
            else {
                continue
            }
            // Masked values must not be sent.
            request.headers = .init(request.headers.filter { $0.value != Redaction.mask })
            request.url = RecordingDrift.withoutMaskedItems(request.url)
            request = manager.limited(request)
            try prepare(&request)
            let current: HAR.Response
            do {
                current = HAR.Response(try await manager.sendDirectly(request))
            } catch let error as CancellationError {
                throw error
            } catch {
                current = HAR.Response(status: 0, error: Redaction.error(error))
            }
            let differences =
                current.error.map { ["no response: \($0)"] }
                ?? RecordingDrift.differences(from: entry.response, to: current)
            if !differences.isEmpty {
                drift.append(
                    RecordingDrift(index: index, request: rules.masked(entry.request), differences: differences)
                )
            }
        }
        return drift
    }
}

extension RestClientManager {
    /// Records the manager's exchanges, and compares recordings with the servers' current responses.
    public var recording: TrafficRecording { TrafficRecording(manager: self) }
}
