// SPDX-License-Identifier: MIT

/// A job that sends a request, as reports and drawings show it.
package protocol RequestJob: Job {}
