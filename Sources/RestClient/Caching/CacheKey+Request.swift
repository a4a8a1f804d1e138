// SPDX-License-Identifier: MIT

import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension CacheKey {
    /// The key of a request, kept apart from those of other users.
    ///
    /// Whose the request is follows from its explicit partition, else from its credentials, those that are provided for
    /// each try included.
    static func of(_ request: OutgoingRequest, clock: ClientClock) async throws -> CacheKey {
        let policy = request.call.policy
        var partition = policy.cachePartition.map { "user:\($0)" }
        if partition == nil {
            var headers = request.headers
            let providers = policy.headerProviders.filter { Redaction.credentialFields.contains($0.name) }
            if !providers.isEmpty {
                let known = headers
                headers = try await clock.limit(to: policy) {
                    var complete = known
                    try await HeaderProvider.apply(providers, to: &complete)
                    return complete
                }
            }
            partition = credentials(in: headers)
        }
        if let scope = policy.dummies?.cachePartition {
            partition = "\(scope)\n\(partition ?? "")"
        }
        return CacheKey(
            method: request.method,
            url: request.url,
            body: request.body ?? Data(),
            dogma: policy.dogmaKey,
            varying: varying.map { request.headers[$0] ?? "" },
            partition: partition
        )
    }

    /// The fields by which answers to one URL commonly differ.
    private static let varying: [HTTPField.Name] = [.accept, .acceptLanguage, .range]

    private static func credentials(in headers: HTTPFields) -> String? {
        let values = Redaction.credentialFields.flatMap { name in
            headers[values: name].map { "\(name.canonicalName):\($0)" }
        }
        return values.isEmpty ? nil : values.joined(separator: "\n")
    }
}
