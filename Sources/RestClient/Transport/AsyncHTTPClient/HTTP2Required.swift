// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

struct HTTP2Required: Error {}

#endif
