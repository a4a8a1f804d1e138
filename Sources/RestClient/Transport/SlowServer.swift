// SPDX-License-Identifier: MIT

/// The cause of a timeout that is not the call's own: the server was too slow for a limit of one exchange.
struct SlowServer: Error {}
