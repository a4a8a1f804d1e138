// SPDX-License-Identifier: MIT

// snippet.show
import RestClient

struct User: Decodable { let name: String }

let manager = RestClientManager.shared
let address = CommandLine.arguments.dropFirst().first ?? "https://jsonplaceholder.typicode.com"
let users = try await manager.request([User].self).url("\(address)/users").bearer("token-of-ada").send()
print(users.map(\.name))
// snippet.hide
