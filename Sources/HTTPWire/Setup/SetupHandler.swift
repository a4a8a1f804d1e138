// SPDX-License-Identifier: MIT

import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// A handler of a new connection that is taken into use if it is the one that was made first.
protocol ConnectionCandidate: AnyObject {
    /// Takes the connection into use; what is left to set up has to be done at a deadline.
    func claim(until deadline: NIODeadline, _ steps: WireSteps)
}

/// Gets a connection past its proxy, and leaves it to a ``ConnectionHandler``.
///
/// It belongs to the event loop of the connection. Nothing happens before it is claimed: the proxy hears of the origin,
/// and of the credentials, over one connection alone.
final class SetupHandler: ChannelInboundHandler, RemovableChannelHandler, ConnectionCandidate {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        case opening
        case working(timeout: Scheduled<Void>)
        case ended
    }

    private let setup: ConnectionSetup
    private let proxy: WireProxy
    private var machine: SetupStateMachine
    private var phase = Phase.opening
    private var context: ChannelHandlerContext?
    private var tls: NIOSSLClientHandler?
    private var deadline = NIODeadline.now()
    private var steps = WireSteps()
    /// The reason for an end before the connection was claimed.
    private var openingFault: ProxyFault?

    init(_ setup: ConnectionSetup, _ proxy: WireProxy, to destination: SetupStateMachine.Destination?) {
        self.setup = setup
        self.proxy = proxy
        machine = SetupStateMachine(proxy, to: destination, limits: setup.pool.configuration.limits)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    // MARK: - Steps

    func claim(until deadline: NIODeadline, _ steps: WireSteps) {
        if let fault = openingFault {
            return end(fault)
        }
        guard let context else {
            return end(ProxyFault(proxy, .cut(underlying: nil)))
        }
        self.deadline = deadline
        self.steps = steps
        let timeout = context.eventLoop.assumeIsolated()
            .scheduleTask(deadline: deadline) {
                self.end(ProxyFault(self.proxy, .silent))
            }
        phase = .working(timeout: timeout)
        perform { () throws(ProxyFault) in try machine.connected() }
    }

    private func perform(_ decide: () throws(ProxyFault) -> SetupStateMachine.Action) {
        guard case .working = phase, let context else {
            return
        }
        do throws(ProxyFault) {
            switch try decide() {
            case .secure: try secure(context)
            case .send(let bytes): context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
            case .wait: break
            case .finish(let rest): finish(rest, context)
            }
        } catch {
            end(error)
        }
    }

    private func secure(_ context: ChannelHandlerContext) throws(ProxyFault) {
        do {
            guard let tls = setup.proxyTLS else {
                throw WireFault.cut
            }
            let handler = try NIOSSLClientHandler(context: tls, serverHostname: WireOrigin.serverName(of: proxy.host))
            self.tls = handler
            try context.pipeline.syncOperations.addHandler(handler, position: .before(self))
        } catch {
            throw ProxyFault(proxy, .insecure(error))
        }
    }

    private func finish(_ rest: ByteBuffer, _ context: ChannelHandlerContext) {
        stop()
        steps.passed = WireTimes.now
        let handler: ConnectionHandler
        do {
            handler = try setup.addHandlers(to: context.channel, after: self)
        } catch {
            context.close(promise: nil)
            return setup.fail(error)
        }
        if rest.readableBytes > 0 {
            context.fireChannelRead(wrapInboundOut(rest))
        }
        let (deadline, steps) = (deadline, steps)
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
        handler.claim(until: deadline, steps)
    }

    private func stop() {
        if case .working(let timeout) = phase {
            timeout.cancel()
        }
        phase = .ended
    }

    // MARK: - Ends

    /// Ends the connection before it leads to the origin.
    private func end(_ fault: ProxyFault) {
        if case .ended = phase {
            return
        }
        stop()
        context?.close(promise: nil)
        setup.fail(fault)
    }

    /// Takes what ends the connection; before it is claimed, that is noted.
    private func note(_ fault: ProxyFault) {
        if case .opening = phase {
            openingFault = openingFault ?? fault
        } else {
            end(fault)
        }
    }

    // MARK: - Events

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        guard case .working = phase else {
            return note(ProxyFault(proxy, proxy.speaksHTTP ? .notHTTP(.statusLine) : .notSOCKS))
        }
        perform { () throws(ProxyFault) in try machine.receive(bytes) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted = event as? TLSUserEvent, machine.isSecuring else {
            return context.fireUserInboundEventTriggered(event)
        }
        if !proxy.isUnchecked, let defect = CertificateDefect.find(showing: tls?.peerCertificate, for: proxy.host) {
            return end(ProxyFault(proxy, .insecure(defect)))
        }
        perform { () throws(ProxyFault) in try machine.secured() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // An end without the farewell of TLS is an end.
        let isEnd = error is IOError || error is ChannelError || error as? NIOSSLError == .uncleanShutdown
        note(ProxyFault(proxy, machine.isSecuring && !isEnd ? .insecure(error) : .cut(underlying: error)))
    }

    func channelInactive(context: ChannelHandlerContext) {
        note(ProxyFault(proxy, .cut(underlying: nil)))
        context.fireChannelInactive()
    }
}
