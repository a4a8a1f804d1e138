// SPDX-License-Identifier: MIT

// Logs in, fans out, chains, mixes in local work, and runs again from the cache.
//
//     ChainedOrchestration [--server URL] [--store DIRECTORY]
//     ChainedOrchestration --serve
//
// Without --server it starts a real HTTP server of its own, on a free port of this machine. With --serve it starts only
// that, for the first programs of the README, until it is interrupted.

import DemoServer
import Foundation

func option(_ name: String) -> String? {
    let arguments = CommandLine.arguments
    return arguments.firstIndex(of: name).flatMap { arguments.dropFirst($0 + 1).first }
}

let store = option("--store").map { URL(fileURLWithPath: $0) }

if CommandLine.arguments.contains("--serve") {
    try await DemoServer.run { address in
        // Written at once, also into a pipe.
        FileHandle.standardOutput.write(Data("The server listens at \(address).\n".utf8))
        try await Task.sleep(for: .seconds(86_400))
    }
} else if let address = option("--server") {
    try await Orchestration(address: address, store: store).run()
} else {
    try await DemoServer.run { address in
        print("A server of our own listens at \(address).")
        try await Orchestration(address: address, store: store).run()
    }
}
