// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

/// The error of a connection over HTTP/1.1 if the transport requires HTTP/2.
struct HTTP2Required: Error {}

#endif
