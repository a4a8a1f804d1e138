// SPDX-License-Identifier: MIT

import HTTPTypes
import Testing

@testable import RestClient

@Suite
struct PathParametersTests {
    private let client = StubbedClient()

    @Test
    func `values used in the path leave the query`() async throws {
        let request = try await client.sent { node in
            node.endpoint("/users/{user}").values(["user": 7, "page": 2])
        }
        #expect(request.url == "https://api.example.com/v1/users/7?page=2")
    }

    @Test
    func `values used in the path leave the body`() async throws {
        let request = try await client.sent { node in
            node.post().endpoint("/users/{user}").values(["user": 7, "name": "Kim"])
        }
        #expect(request.url == "https://api.example.com/v1/users/7")
        #expect(request.bodyText == #"{"name":"Kim"}"#)
    }

    @Test
    func `a parameter wins over the model's member of that name`() async throws {
        let request = try await client.sent { node in
            node.endpoint("/users/{user}").values(["user": 1]).parameter("user", 2)
        }
        #expect(request.url == "https://api.example.com/v1/users/2")
    }

    @Test
    func `the last value of a name wins`() async throws {
        let request = try await client.sent { node in
            node.endpoint("/users/{user}/orders/{order}").parameter("user", 1).parameter("order", 2)
                .parameter("user", 3).parameter("order", 4)
        }
        #expect(request.url == "https://api.example.com/v1/users/3/orders/4")
    }

    @Test
    func `defaults apply when there is no model`() async throws {
        client.manager.apis[APIAlias<Void>("orders")] = API(.get, "/users/{user}/orders", defaults: ["user": "me"])
        let request = try await client.sent { $0.api("orders") }
        #expect(request.url == "https://api.example.com/v1/users/me/orders")
    }

    @Test
    func `an API's defaults win over the template's, and the call's values over both`() async throws {
        client.manager.pathTemplates["/{a}/{b}/{c}"] = ["a": "template", "b": "template", "c": "template"]
        client.manager.apis[APIAlias<Void>("x")] = API(.get, "{a}/{b}/{c}", defaults: ["b": "api", "c": "api"])
        let request = try await client.sent { $0.api("x").parameter("c", "call") }
        #expect(request.url == "https://api.example.com/v1/template/api/call")
    }

    @Test
    func `a template's defaults hold for endpoints too`() async throws {
        client.manager.pathTemplates["/api/hello/$0"] = ["$0": "guest"]
        let request = try await client.sent { $0.endpoint("api/hello/$0") }
        #expect(request.url == "https://api.example.com/v1/api/hello/guest")
    }

    @Test
    func `a segment in front of the path can be removed by an empty default`() async throws {
        client.manager.apis[APIAlias<Void>("x")] = API(.get, "/{tenant}/orders", defaults: ["tenant": ""])
        let request = try await client.sent { $0.api("x") }
        #expect(request.url == "https://api.example.com/v1/orders")
    }

    @Test
    func `a missing value is an error that says how to set it`() async {
        let error = await client.failure { $0.endpoint("/users/{user}") }
        #expect(error?.code == .missingPathParameter)
        #expect(error?.message.contains(#".parameter("user""#) == true)
        #expect(client.requests.isEmpty)
    }

    @Test
    func `a missing value names the values that the path does not use`() async {
        let misnamed = await client.failure { $0.endpoint("/orders/{id}").parameter("ident", 7) }
        #expect(misnamed?.code == .missingPathParameter)
        #expect(misnamed?.message.contains("for 'id'; the path does not use 'ident': use the name 'id' if") == true)

        // Values of a model go elsewhere, so only similar names are named.
        let model = await client.failure {
            $0.endpoint("/orders/{id}").values(["page": 2, "ID": 71, "sort": "x"])
        }
        #expect(model?.message.contains("does not use 'ID': use the name 'id'") == true)
        #expect(model?.message.contains("page") == false)
        #expect(model?.message.contains("71") == false)

        let all = await client.failure {
            $0.endpoint("/{order}").parameter("zero", 1).parameter("ordre", 2)
                .parameter("alpha", 3).parameter("beta", 4)
        }
        #expect(all?.message.contains("'ordre', 'alpha', 'beta':") == true)
        #expect(client.requests.isEmpty)
    }

    @Test
    func `parameters of many types can be given`() async throws {
        let request = try await client.sent { node in
            node.endpoint("/{a}/{b}/{c}/{d}/{e}")
                .parameter("a", "text").parameter("b", UInt64.max).parameter("c", 1.5).parameter("d", false)
                .parameter("e", Optional("some"))
        }
        #expect(request.url == "https://api.example.com/v1/text/18446744073709551615/1.5/false/some")
    }

    @Test
    func `a query in the path and the call's own are joined`() async throws {
        let request = try await client.sent { node in
            node.endpoint("/a{?x}").parameter("x", "1&2").query(["y": "3"])
        }
        #expect(request.url == "https://api.example.com/v1/a?x=1%262&y=3")
    }
}
