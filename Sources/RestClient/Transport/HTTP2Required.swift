// SPDX-License-Identifier: MIT

/// The error of a connection over HTTP/1.1 if the transport requires HTTP/2.
struct HTTP2Required: Error {}
