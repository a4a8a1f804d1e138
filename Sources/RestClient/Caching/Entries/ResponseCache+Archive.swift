// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

extension ResponseCache {
    /// All stored answers as exchanges, oldest first; what is removed meanwhile is left out.
    func exchanges(now: Date) async throws(StoreError) -> [HAR.Entry] {
        let storage = place.storage
        var exchanges: [HAR.Entry] = []
        for answer in try await answers().sorted(by: { ($0.storedAt, $0.id) < ($1.storedAt, $1.id) }) {
            guard let entry = try await storage.read(answer.id, now: now).entry else {
                continue
            }
            let response = RawResponse(
                status: answer.status,
                headers: answer.headers,
                body: entry.body,
                source: .cache(age: .zero)
            )
            exchanges.append(
                HAR.Entry(
                    startedAt: answer.storedAt,
                    request: HAR.Request(method: answer.method.rawValue, url: answer.url, httpVersion: "unknown"),
                    response: HAR.Response(response)
                )
            )
        }
        return exchanges
    }
}
