// SPDX-License-Identifier: MIT

// Imports the CSV files of a folder without HTTP, on JobGraphs alone:
//
//     FolderImport <folder> <output> [--kill-after <files>]
//
// With --kill-after the process kills itself before it reads the next file. Run it again without: it resumes.

import Foundation
import JobGraphs
import SalesImport
import Synchronization

var arguments = Array(CommandLine.arguments.dropFirst())
var filesToRead = Int.max
if let option = arguments.firstIndex(of: "--kill-after"), arguments.indices.contains(option + 1) {
    filesToRead = Int(arguments[option + 1]) ?? .max
    arguments.removeSubrange(option...(option + 1))
}
guard arguments.count == 2 else {
    print("usage: FolderImport <folder> <output> [--kill-after <files>]")
    exit(2)
}

let remaining = Atomic(filesToRead)
let sales = SalesImport(
    from: URL(filePath: arguments[0]),
    to: URL(filePath: arguments[1]),
    willRead: { file in
        if remaining.wrappingSubtract(1, ordering: .relaxed).oldValue < 1 {
            kill(getpid(), SIGKILL)
        }
        print("reading \(file.name)")
    }
)
let run = try await sales.run()
let files = run.report.nodes.first { $0.name == "read" }?.children ?? []
print("\(files.count { $0.status == .resumed }) of \(files.count) files were read by an earlier run")
print(run)
exit(run.isSuccess ? 0 : 1)
