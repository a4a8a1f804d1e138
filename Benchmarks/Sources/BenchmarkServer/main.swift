// SPDX-License-Identifier: MIT

// The server that the HTTP benchmark measures against: one event loop in a process of its own, so that its work is not
// counted as the client's. It responds to every request with the same record of 1037 bytes, except for those
// that ask for many bytes, and prints its port.

import NIOCore
import NIOHTTP1
import NIOPosix

let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
let channel = try await ServerBootstrap(group: group)
    .serverChannelOption(.backlog, value: 1_024)
    .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
    .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: false)
            try channel.pipeline.syncOperations.addHandler(RecordHandler())
        }
    }
    .bind(host: "127.0.0.1", port: 0)
    .get()
print(channel.localAddress?.port ?? 0)
fflush(nil)
// The benchmark keeps our standard input open for as long as it needs us.
while readLine() != nil {}
