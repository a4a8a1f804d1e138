// SPDX-License-Identifier: MIT

/// The reason for an error that says nothing about the bytes: there was no memory to work on them.
package struct OutOfMemory: Error {
    package init() {}
}
