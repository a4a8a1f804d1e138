// SPDX-License-Identifier: MIT

// snippet.show
import Foundation
import Observation
import RestClient

struct User: Codable, Identifiable {
    let id: Int
    let name: String
}

extension APIAlias where Model == [User] { static var users: Self { "users" } }

/// Called once, in the initializer of the app.
func configureNetwork() throws {
    let manager = RestClientManager.shared
    let files = FileManager.default
    let caches = try files.url(for: .cachesDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
    try manager.persist(in: caches.appending(path: "network"))
    manager.servers["shop"] = Server("https://jsonplaceholder.typicode.com").timeout(.seconds(15)).retry(3)
    manager.defaultServer = "shop"
    manager.apis[.users] = API(.get, "/users")
}

/// The stored users at once, and then the server's.
@MainActor
@Observable
final class UserList {
    private(set) var users: [User] = []
    private(set) var problem: String?

    func load() async {
        do {
            for try await response in RestClientManager.shared.request(.users).cache(.thenNetwork).responses() {
                users = response.model
            }
            problem = nil
        } catch is CancellationError {
            // The screen is gone.
        } catch {
            problem = (error as? RestClientError)?.message ?? "\(error)"
        }
    }
}
// snippet.hide

// snippet.show
#if canImport(SwiftUI)
import SwiftUI

struct UserListView: View {
    @State private var list = UserList()

    var body: some View {
        List(list.users) { user in Text(user.name) }
            .overlay { if let problem = list.problem { Text(problem) } }
            .task { await list.load() }
            .refreshable { await list.load() }
    }
}
#endif
// snippet.hide

try configureNetwork()
let list = UserList()
await list.load()
print(list.users.map(\.name), list.problem ?? "")
