// SPDX-License-Identifier: MIT

// The smallest program on this library: it makes a manager, and requests the URL that it is given, if any.

import RestClient

let manager = RestClientManager.shared
if let url = CommandLine.arguments.dropFirst().first {
    let response = try await manager.request().url(url).response()
    precondition(response.status == .ok)
}
withExtendedLifetime(manager) {}
