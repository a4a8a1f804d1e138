// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A process of `Scripts/soak`.
///
///     Soak serve FILE SEED                        writes its address to the file, and serves until it is killed
///     Soak work NAME ADDRESS DIRECTORY CALLS SECONDS SEED
///
/// A worker ends after that many calls or seconds, whichever comes first. Its status is 0 if every promise was kept,
/// and 1 if not; it prints its counts.
@main
enum Soak {
    /// The clock of waits: a soak takes real time.
    static let clock = ContinuousClock()

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "serve" where arguments.count == 3:
            try await SoakServer.serve(addressFile: arguments[1], seed: number(arguments[2]))
        case "work" where arguments.count == 7:
            let worker = SoakWorker(
                name: arguments[1],
                address: arguments[2],
                directory: URL(filePath: arguments[3]),
                calls: Int(number(arguments[4])),
                limit: .seconds(Int64(number(arguments[5]))),
                seed: number(arguments[6])
            )
            let defects = try await worker.run()
            for defect in defects {
                print("\(arguments[1]): DEFECT: \(defect)")
            }
            exit(defects.isEmpty ? 0 : 1)
        default:
            print("see Scripts/soak --help")
            exit(2)
        }
    }

    private static func number(_ text: String) -> UInt64 { UInt64(text) ?? 1 }
}
