// SPDX-License-Identifier: MIT

// Four transfers against a server in this process: an upload with a progress line, a download that resumes, a listing
// that is exported as JSON lines, and a live feed that reconnects. Tests/FileTransfersTests runs each in a test.

try await Program.run()
