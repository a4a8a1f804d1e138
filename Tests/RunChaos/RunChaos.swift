// SPDX-License-Identifier: MIT

import Foundation
import JobGraphs

/// Runs durable graphs in processes that are killed and stopped, and checks what must hold; `Scripts/chaos` says what.
@main
struct RunChaos {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.count == 3, arguments[0] == "worker" {
            try await ChaosWorker(folder: URL(filePath: arguments[1]), name: arguments[2]).work()
            return
        }
        var chaos = Chaos()
        var rest = arguments[...]
        while let option = rest.popFirst() {
            guard let number = rest.popFirst().flatMap(Int.init) else {
                fail("\(option) needs a number")
            }
            switch option {
            case "--runs": chaos.runs = number
            case "--seconds": chaos.seconds = number
            case "--workers": chaos.workers = number
            case "--seed": chaos.generator = SplitMix(state: UInt64(bitPattern: Int64(number)))
            default: fail("unknown argument '\(option)'")
            }
        }
        let faults = try await chaos.run()
        for fault in faults.prefix(20) {
            print("FAULT: \(fault)")
        }
        print(faults.isEmpty ? "no fault" : "\(faults.count) faults")
        exit(faults.isEmpty ? 0 : 1)
    }

    private static func fail(_ reason: String) -> Never {
        print("RunChaos: \(reason)")
        exit(2)
    }
}

/// A generator whose numbers a seed repeats.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
