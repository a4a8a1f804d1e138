// SPDX-License-Identifier: MIT

// The first calls of a newcomer: each method with literals, variables, mixed, optional and custom values.
// snippet.hide
import Foundation
import RestClient

enum Sort: String, JSONValueConvertible { case name, date }
struct OrderID: JSONValueConvertible {
    let value: Int
    var jsonValue: JSONValue { value.jsonValue }
}

let manager = RestClientManager()
manager.servers["store"] = "https://api.example.com"
manager.defaultServer = "store"
manager.dummies.mode = .strict
for path in ["/search", "/orders/{id}", "/orders/{id}/items/{item}", "/{a}/{b}"] {
    manager.dummies.register(.get, PathTemplate(path)) { request in .text(request.url) }
}
manager.dummies.register(.post, "/search") { request in .text(request.url) }

let text = "free text"
let page = 2
let missing: String? = nil
let since = Date(timeIntervalSince1970: 0)
let number = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
let link = URL(string: "https://example.com/a")
let order = OrderID(value: 7)
let names = ["a": text, "b": "literal"]
// snippet.show
let search = manager.request(String.self).endpoint("/search")

// A dictionary is the query on GET and the body on POST.
print(try await search.values(["page": 1, "q": "text"]).send())
print(try await search.values(["page": 1, "q": text]).send())
print(try await search.values(["page": page, "q": missing, "since": since, "sort": Sort.date]).send())
print(try await search.values(["filter": ["low": 1, "high": 2.5] as JSONValue, "tags": ["a", "b"]]).send())
print(try await search.values(names).post().send())

// Query items keep their order.
print(try await search.query(["page": 1, "q": "text"]).send())
print(try await search.query(["page": page, "q": text, "order": order]).send())
print(try await search.query("q", missing).query("number", number).query("link", link).send())
print(try await search.query(names).send())

// Values in a path are one segment, whatever they hold.
print(try await manager.request(String.self).endpoint("/orders/\(order)/items/\(text)").send())
print(try await manager.request(String.self).endpoint("/orders/{id}").parameter("id", order).send())
print(try await manager.request(String.self).endpoint("/{a}/{b}").parameter("a", text).parameter("b", page).send())

// Defaults of an API, and values of an event of your own.
manager.apis["search" as APIAlias<String>] = API(
    .get,
    "/{a}/{b}/{sort}",
    defaults: ["a": text, "b": page, "sort": Sort.date]
)
manager.emit("searched", payload: ["q": text, "page": 2, "sort": Sort.date, "next": missing])

// Header fields, tokens and bodies.
let marked = search.header("X-Page", "\(page)").header(.userAgent, text).headers([.acceptLanguage: "de"])
print(try await marked.bearer(text).cacheTags("page \(page)", text).timeout(.seconds(page)).accepting([.ok]).send())
print(try await search.post().values(names).send())
print(try await search.post().body(["a": page]).send())
print(try await search.post().body(["page": page, "q": text, "none": missing]).send())
print(try await search.post().values(["page": page, "by": ["q": text.jsonValue, "n": 1] as JSONValue]).send())
print(try await search.post().body(Data(text.utf8), contentType: "text/plain").send())

// A server by its address, and a whole URL.
print(try await manager.request(String.self).serverAddress("api.example.com").endpoint("/search").send())
print(try await manager.request(String.self).url("https://api.example.com/search?page=\(page)").send())
if let search = URL(string: "https://api.example.com/search") {
    print(try await manager.request(String.self).url(search).send())
}

// The JSON of a dummy: a model, values of several types, and a text that is JSON already.
manager.dummies.register(.get, "/model") { _ in .json(names) }
manager.dummies.register(.get, "/values") { _ in .json(["page": page, "q": text, "none": missing]) }
manager.dummies.register(.get, "/list") { _ in .json([["id": 7, "name": "Kim"], ["id": 8, "name": nil]]) }
manager.dummies.register(.get, "/text") { _ in .bytes(#"{"page":2}"#.utf8, contentType: "application/json") }
