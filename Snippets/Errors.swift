// SPDX-License-Identifier: MIT

// snippet.hide
import RestClient

struct Order: Decodable { let id: Int }
extension APIAlias where Model == [Order] { static var orders: Self { "orders" } }

let manager = RestClientManager()
manager.servers["store"] = "https://api.example.com/v1"
manager.defaultServer = "store"
manager.apis[.orders] = API(.get, "/orders")
manager.dummies.mode = .strict
manager.dummies.register(.get, "/orders") { _ in .problem(.conflict, title: "out of stock") }

func showOrders() async {
    // snippet.show
    do {
        print(try await manager.request(.orders).send())
    } catch let error as RestClientError where error.code == .unacceptableStatus {
        print("the server responded with \(error.status?.code ?? 0): \(error.problem?.title ?? "")")
    } catch let error as RestClientError where error.code == .timeout {
        print("no response after \(error.attempts) attempts")
    } catch {
        print(error)  // what is wrong, where, and what to do, without credentials
    }
    // snippet.hide
}

await showOrders()
