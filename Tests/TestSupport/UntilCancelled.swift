// SPDX-License-Identifier: MIT

import RestClientTesting

/// Waits until the current task is cancelled, at a gate that is never opened.
package func untilCancelled() async {
    try? await Gate().wait()
}
