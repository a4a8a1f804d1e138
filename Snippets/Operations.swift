// SPDX-License-Identifier: MIT

// snippet.hide
import RestClient

struct Report: Codable { let rows: Int }

let manager = RestClientManager()
manager.servers["reports"] = "https://api.example.com"
manager.defaultServer = "reports"
manager.dummies.mode = .strict
manager.dummies.register(.post, "/reports") { _ in .status(.accepted, headers: [.location: "/states/7"]) }
manager.dummies.register(.get, "/states/{id}") { _ in .text(#"{"rows":3}"#) }

func waitForReports() async throws {
    // snippet.show
    // Begins the report, and asks for it until it is there, for an hour at most.
    let rule = OperationRule.standard.every(.exponential(from: .seconds(1), upTo: .seconds(30), limit: .seconds(3600)))
    let report = try await manager.request(Report.self).post().endpoint("/reports").operation(rule).send()

    // As a node: a run with a journal that is resumed asks again, and does not begin the report a second time.
    var graph = JobGraph("nightly")
    let month = graph.input("month", 11)
    let monthly = graph.operation("report", after: month, by: rule) { month in
        RequestNode(Report.self).post().endpoint("/reports").body(["month": month])
    }
    // snippet.hide
    let run = try await manager.run(graph)
    print(report.rows, try run[monthly].rows)
}

try await waitForReports()
