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

// All pages of the orders of all users, at most four users at once.
var graph = JobGraph("nightly")
let users = graph.request("users") { RequestNode([User].self).endpoint("/users") }
let orders = graph.forEach("orders", in: users, limit: 4) { user in
    RequestNode(OrderPage.self).endpoint("/users/{id}/orders").parameter("id", user.id)
        .pages(.cursor("page", next: \.next), items: \.orders)
}
let total = graph.local("total", after: orders) { orders in orders.joined().map(\.total).reduce(0, +) }

// Once a day: after a crash the run resumes, and after a success it sends nothing.
let day = Date().formatted(.iso8601.year().month().day())
let run = try await manager.run(graph, journal: RunJournal("nightly-\(day)"))
try Data(run.report.html().utf8).write(to: folder.appending(path: "report.html"))
print(try run[total])
