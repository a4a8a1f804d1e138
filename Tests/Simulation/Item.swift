// SPDX-License-Identifier: MIT

/// The body of the simulated server's responses.
struct Item: Codable, Sendable, Equatable {
    let name: String
    /// The state of the resource, which each change increases.
    let version: Int
    /// The number of the request, among all that reached the server.
    let serial: Int
}
