// SPDX-License-Identifier: MIT

extension RestClientError {
    /// The kind of a failure.
    ///
    /// Compare with the static members; later versions may add more.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Name: String {
            case unknownServer, unknownAPI, unknownDogma, unknownEnvironment, missingTarget, invalidServerAddress,
                invalidURL
            case contradictoryTarget, targetNotExposed, ambiguousAPI, sharedManagerInUse
            case invalidPathTemplate, missingPathParameter, invalidPathParameter, invalidHeader, bodyNotAllowed
            case encodingFailed, decodingFailed, unacceptableStatus, preconditionFailed, validatorMissing, rejected,
                hostNotFound, connectionFailed,
                connectionClosed
            case proxyFailed, tlsFailed, timeout, malformedResponse, responseTooLarge, headerTooLarge, tooManyRedirects,
                redirectRefused, redirectLoop
            case notCached
            case tokenRefreshFailed, loginRequired
            case dummyNotFound, dummyFailed, dummyVerificationFailed, transportClosed, transportFailed
            case invalidRecording, secretInRecording, recordingExpired, notRecorded
            case downloadChanged, rangeRefused, digestMismatch, fileNotWritten
            case lineTooLong, notAnEventStream, unsupportedContentCoding
            case invalidMultipart, boundaryInPart, bodyChanged, bodyUnreadable, bodyNotRepeatable, bodyNotSupported
            case pageRepeated, invalidPage, pageRefused, operationFailed, duplicateCall
            case rateLimitExceeded, circuitOpen
            case invalidPin, invalidCurlCommand, invalidNetrc, signingFailed
            case handshakeRefused, webSocketClosed, webSocketViolated, messageTooLarge
        }

        private let name: Name

        /// The name of the code, as in `unknownServer`.
        ///
        /// It never changes and contains no data of the request.
        public var description: String { name.rawValue }

        /// No server is registered under the alias.
        public static let unknownServer = Code(name: .unknownServer)
        /// No API operation is registered under the alias.
        public static let unknownAPI = Code(name: .unknownAPI)
        /// No dogma is registered under the name.
        public static let unknownDogma = Code(name: .unknownDogma)
        /// No environment is registered under the name.
        public static let unknownEnvironment = Code(name: .unknownEnvironment)
        /// The request has no server, and no default server is set.
        public static let missingTarget = Code(name: .missingTarget)
        /// The address of the server is not a valid URL.
        public static let invalidServerAddress = Code(name: .invalidServerAddress)
        /// The request has two targets that contradict each other.
        public static let contradictoryTarget = Code(name: .contradictoryTarget)
        /// The call of an ``APIProvider`` has a target that the provider does not expose; it is not sent.
        public static let targetNotExposed = Code(name: .targetNotExposed)
        /// An alias is registered for operations with different models.
        public static let ambiguousAPI = Code(name: .ambiguousAPI)
        /// Code attempted to configure the shared manager after its first use.
        public static let sharedManagerInUse = Code(name: .sharedManagerInUse)
        /// The URL is not a valid request URL.
        public static let invalidURL = Code(name: .invalidURL)
        /// The path template cannot be parsed.
        public static let invalidPathTemplate = Code(name: .invalidPathTemplate)
        /// A placeholder of the path has neither a value nor a default.
        public static let missingPathParameter = Code(name: .missingPathParameter)
        /// A value would change the shape of the path, or belongs to a placeholder that the path does not contain.
        public static let invalidPathParameter = Code(name: .invalidPathParameter)
        /// The name or the value of a header field contains a character that HTTP forbids.
        public static let invalidHeader = Code(name: .invalidHeader)
        /// A model that is not a dictionary was given to a method that takes no body.
        public static let bodyNotAllowed = Code(name: .bodyNotAllowed)
        /// A part of a multipart body has an invalid name, media type or header field.
        public static let invalidMultipart = Code(name: .invalidMultipart)
        /// The boundary of a multipart body occurs in one of its parts.
        public static let boundaryInPart = Code(name: .boundaryInPart)
        /// The body became shorter or longer while it was sent.
        public static let bodyChanged = Code(name: .bodyChanged)
        /// A file of the body cannot be read.
        public static let bodyUnreadable = Code(name: .bodyUnreadable)
        /// The body has been read and cannot be sent again.
        public static let bodyNotRepeatable = Code(name: .bodyNotRepeatable)
        /// The transport cannot send a body of this kind or length.
        public static let bodyNotSupported = Code(name: .bodyNotSupported)
        /// The model cannot be encoded.
        public static let encodingFailed = Code(name: .encodingFailed)
        /// The response has an accepted status, but says that the request failed; see the underlying error.
        public static let rejected = Code(name: .rejected)
        /// The body of the response cannot be decoded; the bytes are kept in the error.
        public static let decodingFailed = Code(name: .decodingFailed)
        /// The server responded with a status that the request does not accept.
        public static let unacceptableStatus = Code(name: .unacceptableStatus)
        /// The server responded with 412: the resource is in another state than the request has as its condition, and
        /// nothing was changed; ``RestClientError/entityTag`` is that of the current state, if the server says so.
        public static let preconditionFailed = Code(name: .preconditionFailed)
        /// There is no strong entity tag, without which a write could undo what others have written; it is not sent.
        public static let validatorMissing = Code(name: .validatorMissing)
        /// The host name does not resolve.
        public static let hostNotFound = Code(name: .hostNotFound)
        /// No connection could be established.
        public static let connectionFailed = Code(name: .connectionFailed)
        /// The connection was closed before the response was complete.
        public static let connectionClosed = Code(name: .connectionClosed)
        /// The proxy cannot be used or reached, or refuses to lead to the server, to which nothing was sent.
        public static let proxyFailed = Code(name: .proxyFailed)
        /// The TLS handshake failed, or the server's certificate is not trusted.
        public static let tlsFailed = Code(name: .tlsFailed)
        /// A text is not the pin of a public key.
        public static let invalidPin = Code(name: .invalidPin)
        /// The curl command is not one that can be made a request.
        public static let invalidCurlCommand = Code(name: .invalidCurlCommand)
        /// The `.netrc` file is missing or malformed, or others can read it.
        public static let invalidNetrc = Code(name: .invalidNetrc)
        /// The request could not be signed.
        public static let signingFailed = Code(name: .signingFailed)
        /// The call exceeded its time limit.
        public static let timeout = Code(name: .timeout)
        /// The response is not valid HTTP, or its body contradicts its header fields.
        public static let malformedResponse = Code(name: .malformedResponse)
        /// The body of the response exceeds the limit.
        public static let responseTooLarge = Code(name: .responseTooLarge)
        /// The header of the response exceeds the limit.
        public static let headerTooLarge = Code(name: .headerTooLarge)
        /// The file changed on the server while it was downloaded, again and again.
        public static let downloadChanged = Code(name: .downloadChanged)
        /// The server refused the requested range of bytes.
        public static let rangeRefused = Code(name: .rangeRefused)
        /// The bytes do not have the digest that the server or the caller gave.
        public static let digestMismatch = Code(name: .digestMismatch)
        /// A file of a download cannot be written.
        public static let fileNotWritten = Code(name: .fileNotWritten)
        /// A line of a streamed response, or an event of several lines, exceeds the limit.
        public static let lineTooLong = Code(name: .lineTooLong)
        /// The server did not respond with a stream of server-sent events.
        public static let notAnEventStream = Code(name: .notAnEventStream)
        /// The body of a streamed response has a content coding that cannot be removed.
        public static let unsupportedContentCoding = Code(name: .unsupportedContentCoding)
        /// The server redirected more often than allowed.
        public static let tooManyRedirects = Code(name: .tooManyRedirects)
        /// The server redirected to a URL that must not be followed.
        public static let redirectRefused = Code(name: .redirectRefused)
        /// The server redirected in a circle.
        public static let redirectLoop = Code(name: .redirectLoop)
        /// The policy allows only the cache, which has no usable response.
        public static let notCached = Code(name: .notCached)
        /// The access token could not be refreshed; see the underlying error.
        public static let tokenRefreshFailed = Code(name: .tokenRefreshFailed)
        /// A person has to log in, or the login failed; ``RestClientError/login`` says where, if it is under way.
        public static let loginRequired = Code(name: .loginRequired)
        /// Dummies are strict and none matches the request.
        public static let dummyNotFound = Code(name: .dummyNotFound)
        /// A dummy matches the request but has no response: its code threw an error, or its model or file cannot be
        /// read.
        public static let dummyFailed = Code(name: .dummyFailed)
        /// Dummies did not receive the expected calls.
        public static let dummyVerificationFailed = Code(name: .dummyVerificationFailed)
        /// A file is not an HTTP archive, or cannot be read or written.
        public static let invalidRecording = Code(name: .invalidRecording)
        /// A recording was not written, because it appears to contain a secret.
        public static let secretInRecording = Code(name: .secretInRecording)
        /// A recording has expired.
        public static let recordingExpired = Code(name: .recordingExpired)
        /// The replayed recording has no response to the request.
        public static let notRecorded = Code(name: .notRecorded)
        /// The transport was shut down.
        public static let transportClosed = Code(name: .transportClosed)
        /// The transport failed in another way; see the underlying error.
        public static let transportFailed = Code(name: .transportFailed)
        /// Another call with the same key has not ended.
        public static let duplicateCall = Code(name: .duplicateCall)
        /// The rate limit of the server lets the call begin too late.
        public static let rateLimitExceeded = Code(name: .rateLimitExceeded)
        /// The circuit breaker of the server refuses calls; the underlying ``CircuitRefusal`` says for how long.
        public static let circuitOpen = Code(name: .circuitOpen)
        /// The server delivered the same page again.
        public static let pageRepeated = Code(name: .pageRepeated)
        /// The position of a page cannot be used with this kind of paging.
        public static let invalidPage = Code(name: .invalidPage)
        /// The URL of the next page, or of the state or the result of an operation, must not be followed.
        public static let pageRefused = Code(name: .pageRefused)
        /// The server says that a long-running operation has failed, or was cancelled; see the response.
        public static let operationFailed = Code(name: .operationFailed)
        /// The server's part of a WebSocket's opening handshake is not valid, or agrees to what was not offered.
        public static let handshakeRefused = Code(name: .handshakeRefused)
        /// The server closed a WebSocket with a code that says something else than the regular end; see the underlying
        /// error.
        public static let webSocketClosed = Code(name: .webSocketClosed)
        /// The server broke the protocol of WebSockets.
        public static let webSocketViolated = Code(name: .webSocketViolated)
        /// A message of a WebSocket exceeds the limit.
        public static let messageTooLarge = Code(name: .messageTooLarge)
    }
}
