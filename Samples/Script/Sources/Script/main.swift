// SPDX-License-Identifier: MIT

// Sums up the orders of all users of a shop, and prints the total. Exits with 1 if that failed.
//
// SHOP_URL                  the address of the shop's API
// SHOP_USER, SHOP_PASSWORD  who signs in
// STATE_FOLDER              where the journal and the report are kept; 'state' by default
// RUN                       names the run: the same one goes on where it stopped, and is not repeated after a success;
//                           the day by default

import Foundation
import RestClient
import RestClientReports

let environment = ProcessInfo.processInfo.environment

func setting(_ name: String) throws -> String {
    guard let value = environment[name], !value.isEmpty else {
        throw MissingSetting(name: name)
    }
    return value
}

struct MissingSetting: Error, CustomStringConvertible {
    let name: String
    var description: String { "the environment variable \(name) is not set" }
}

do {
    let manager = RestClientManager()
    let totals = OrderTotals(
        address: try setting("SHOP_URL"),
        user: try setting("SHOP_USER"),
        password: try setting("SHOP_PASSWORD"),
        manager: manager
    )
    let folder = URL(filePath: environment["STATE_FOLDER"] ?? "state", directoryHint: .isDirectory)
    try manager.persist(in: folder)

    let day = Date().formatted(.iso8601.year().month().day())
    let run = try await manager.run(totals.graph, journal: RunJournal("totals-\(environment["RUN"] ?? day)"))
    // Also of a run that failed: the report shows where.
    try Data(run.report.html().utf8).write(to: folder.appending(path: "report.html"))
    try run.check()
    print(try run[totals.total])
} catch {
    // What went wrong, where, and what to do, without credentials.
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
