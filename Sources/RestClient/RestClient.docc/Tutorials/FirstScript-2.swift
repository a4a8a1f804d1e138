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
