// SPDX-License-Identifier: MIT

import Testing

/// A few seeds of the simulation; `Scripts/simulate` runs more.
///
/// It is a process of its own, because its scheduler takes the place of the global executor.
@Suite(.timeLimit(.minutes(5)), .enabled(if: SimulationProgram.executable != nil, "the program was not built"))
struct SimulationTests {
    @Test
    func `every promise is kept in three hundred simulations`() async throws {
        let (status, output) = try await SimulationProgram.run("0", "300", "--check", "50")

        #expect(status == 0, "\(output)")
    }

    @Test
    func `a seed does the same in each process`() async throws {
        let first = try await SimulationProgram.run("7", "--verbose")
        let second = try await SimulationProgram.run("7", "--verbose")

        #expect(first.output == second.output)
    }
}
