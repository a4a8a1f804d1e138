// SPDX-License-Identifier: MIT

/// The error of a body that has nothing to do: the node is skipped.
struct NothingToDo: Error {}
