import Foundation
import RestClient
import RestClientReports

struct Session: Decodable { let token: String }
struct User: Codable { let id: Int }
struct Order: Codable { let total: Double }
struct OrderPage: Decodable {
    let orders: [Order]
    let next: Int?
}

let manager = RestClientManager.shared
let folder = URL(filePath: "nightly", directoryHint: .isDirectory)
try manager.persist(in: folder)

// Signs in before the first call, and again when the server rejects the token.
let session = TokenSource { _ in
    let login = RestClientManager.shared.request(Session.self).post().endpoint("/login").values(["user": "ada"])
    return AccessToken(try await login.send().token)
}
let address = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080"
manager.servers["shop"] = Server(address).bearer(session).timeout(.seconds(30)).retry(3)
manager.defaultServer = "shop"
