// SPDX-License-Identifier: MIT

/// The reason for a call that is not sent again: its token source has the token of another user now.
struct UserChange: Error {}
