// SPDX-License-Identifier: MIT

/// A transport whose exchanges end when ``TransportRequest/cancellation`` says so, besides with their task.
package protocol CancellingTransport: Transport {}

extension TransportRequest {
    var isCancelled: Bool { Task.isCancelled || cancellation?.isCancelled == true }
}
