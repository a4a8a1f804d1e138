// SPDX-License-Identifier: MIT

/// A call's wait in the line of a guard.
struct LineWait: CancellableWork {
    let line: ServerGuard
    let ticket: AdmissionStateMachine.Ticket

    func cancel() { line.endWait(of: ticket) }
}
