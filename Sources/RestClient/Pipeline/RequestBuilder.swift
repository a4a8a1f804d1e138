// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import RestEssentials

/// A request ready to pass the pipeline, with what is needed to understand its response.
struct ResolvedRequest: Sendable {
    let request: OutgoingRequest
    let dogma: any Dogma
    let dogmaRequest: DogmaRequest

    /// Returns what decodes the responses to the request.
    func decoder<Model>(_ decoding: ResponseDecoding<Model>) -> ModelDecoder<Model> {
        ModelDecoder(
            decoding: decoding,
            dogma: dogma,
            request: dogmaRequest,
            acceptedStatuses: request.call.policy.acceptedStatuses
        )
    }
}

/// Makes the request that a node describes, as the registries, the settings and the surroundings of its call say.
struct RequestBuilder {
    let registries: RegistrySnapshot
    let pipeline: Pipeline
    let surroundings: CallSurroundings
    let id: CallID
    let groupID: GroupID?
    /// The time on the manager's clock at which the call began.
    let start: Duration

    /// Resolves the aliases, fills in the path, and encodes query and body.
    func build(_ specification: RequestSpecification) throws -> ResolvedRequest {
        if let defect = registries.defect {
            throw defect
        }
        let target = try TargetResolver.resolve(specification.target, in: registries)
        let options = registries.options(for: target).overlaid(with: specification.options)
        if let defect = options[.defect] {
            throw defect
        }
        let method = specification.method ?? target.api?.value.method ?? .get
        let (dogmaAlias, dogma) = try dogma(options)
        let dogmaRequest = DogmaRequest(
            method: method,
            api: target.apiName,
            server: target.serverAlias,
            template: target.template?.source ?? ""
        )
        var parameters: [String: JSONValue] = [:]
        if case .parameters(let values) = specification.model {
            parameters = values
        }
        let values =
            parameters.isEmpty
            ? specification.pathParameters
            : specification.pathParameters.merging(parameters) { own, _ in own }
        var (url, used) = try Self.url(target, values: values)
        if !used.isEmpty {
            parameters = parameters.filter { !used.contains($0.key) }
        }

        try checkPathParameters(specification.pathParameters, target)

        var query = specification.query
        var body: EncodedBody?
        let takesParametersAsQuery = method.isRetrieval
        switch specification.model {
        case .none:
            break
        case .parameters where takesParametersAsQuery:
            query += parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        case .parameters:
            body = try encode(JSONValue.object(parameters), with: dogma, dogmaRequest)
        case .encodable(let model):
            guard !takesParametersAsQuery else {
                throw RestClientError(
                    .bodyNotAllowed,
                    "\(method.rawValue) takes no body, and \(type(of: model)) is no dictionary that could become the "
                        + "query; use .query, another method, or insist with .body(_:)"
                )
            }
            body = try encode(model, with: dogma, dogmaRequest)
        case .body(let model):
            body = try encode(model, with: dogma, dogmaRequest)
        case .bytes(let bytes, let contentType):
            body = EncodedBody(bytes, contentType: contentType)
        }
        append(query, encoding: options[.queryEncoding] ?? QueryEncoding(), to: &url)

        let authentication = AuthenticationScheme.of(
            options,
            hasServer: target.server != nil,
            refresh: surroundings.refresh
        )
        var (headers, providers) = try headers(
            options[.headers],
            dogma: dogma,
            contentType: body?.contentType,
            authentication
        )
        let pass = method.isIdempotent ? nil : options[.journalPass]
        pass?.mark(&headers, &providers)
        var timeout = options[.timeout] ?? .seconds(60)
        if let limit = options[.timeoutLimit] {
            timeout = timeout.map { min($0, limit) } ?? limit
        }
        let cachePolicy = cachePolicy(options, method)
        let dummies = pipeline.dummies(options, in: surroundings.dummies, directory: registries)
        let policy = CallPolicy(
            options: options,
            environment: registries.origin(of: target),
            deadline: timeout.map { start + $0 },
            timeout: timeout,
            cache: cachePolicy,
            cachePartition: options[.cachePartition],
            cacheTags: options[.cacheTags] ?? [],
            invalidates: options[.invalidates] ?? [],
            sharesFlight: options[.sharesFlight],
            acceptedStatuses: options[.acceptedStatuses] ?? .successful,
            responseLimit: options[.responseLimit] ?? CallOptions.defaultResponseLimit,
            redirects: options[.redirects] ?? .follow,
            priority: options[.priority] ?? .normal,
            dogmaAlias: dogmaAlias,
            reader: ResolvedDogma(dogma: dogma, request: dogmaRequest),
            prefix: target.template == nil ? target.server?.value.prefix ?? "" : target.prefix,
            headerProviders: providers,
            authentication: authentication,
            passesPool: surroundings.refresh != nil,
            dummies: dummies,
            scopePartition: surroundings.partition(registries.environment, dummies),
            pass: pass
        )
        let identity = CallIdentity(
            id: id,
            groupID: groupID,
            callIdentifier: options[.callIdentifier],
            api: target.apiName,
            server: target.serverAlias,
            template: target.template?.source ?? "",
            method: method,
            url: url,
            isMuted: options[.isMuted] ?? false
        )
        let context = CallContext(identity, start: start, policy: policy)
        return ResolvedRequest(
            request: OutgoingRequest(method: method, url: url, headers: headers, body: body?.bytes, call: context),
            dogma: dogma,
            dogmaRequest: dogmaRequest
        )
    }
}

// MARK: - Parts

extension RequestBuilder {
    /// Refuses values for placeholders that the path does not hold: a misspelt name must not mean the default.
    private func checkPathParameters(
        _ values: [String: JSONValue],
        _ target: ResolvedTarget
    ) throws(RestClientError) {
        guard !values.isEmpty else {
            return
        }
        let template = target.template ?? ""
        for name in values.keys where !template.hasVariable(name) {
            throw RestClientError(
                .invalidPathParameter,
                "the path '\(Redaction.url(template.source))' has no placeholder '\(name)'; "
                    + NearestNames.hint(for: name, among: template.variableNames)
            )
        }
    }

    private func dogma(_ options: CallOptions) throws(RestClientError) -> (DogmaAlias, any Dogma) {
        let key = options[.dogma] ?? .json
        guard let dogma = registries.dogmas[key] else {
            let hint = NearestNames.hint(for: key.rawValue, among: registries.dogmas.keys.map(\.rawValue))
            throw RestClientError(.unknownDogma, "no dogma is registered as '\(key)'; \(hint)")
        }
        return (key, dogma.value)
    }

    /// Prefix and path with exactly one slash between them.
    private static func url(
        _ target: ResolvedTarget,
        values: [String: JSONValue]
    ) throws(RestClientError) -> (url: String, used: Set<String>) {
        guard let template = target.template else {
            return (target.prefix, [])
        }
        let (path, used) = try template.expandForRequest(values, defaults: target.defaults)
        let bytes = path.utf8
        if bytes.contains(UInt8(ascii: ":")), path.firstRange(of: "://") != nil, HTTPURL.hasScheme(path) {
            throw RestClientError(
                .invalidURL,
                "the endpoint '\(Redaction.url(template.source))' is a whole URL; set it with .url(_:) instead"
            )
        }
        var url = target.prefix
        url.reserveCapacity(url.utf8.count + bytes.count + 1)
        if let first = bytes.first {
            if first != UInt8(ascii: "?") {
                url += "/"
            }
            let start = bytes.firstIndex { $0 != UInt8(ascii: "/") } ?? bytes.endIndex
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
            url += path[start..<end]
        }
        return (url, used)
    }

    private func append(
        _ query: [(name: String, value: JSONValue)],
        encoding: QueryEncoding,
        to url: inout String
    ) {
        guard !query.isEmpty else {
            return
        }
        let text = encoding.encode(query)
        guard !text.isEmpty else {
            return
        }
        if !url.utf8.contains(UInt8(ascii: "?")) {
            url += "?"
        } else if let last = url.utf8.last, last != UInt8(ascii: "?"), last != UInt8(ascii: "&") {
            url += "&"
        }
        url += text
    }

    private func encode(
        _ model: some Encodable,
        with dogma: any Dogma,
        _ request: DogmaRequest
    ) throws(RestClientError) -> EncodedBody {
        do {
            return try dogma.encode(model, for: request)
        } catch {
            throw RestClientError(
                .encodingFailed,
                "the \(type(of: dogma)) cannot encode \(type(of: model)) as the request's body",
                underlying: error
            )
        }
    }

    /// The header fields by their precedence, low to high: the dogma's, those of the levels.
    private func headers(
        _ own: HeaderFields?,
        dogma: any Dogma,
        contentType: String?,
        _ authentication: AuthenticationScheme?
    ) throws(RestClientError) -> (HTTPFields, [HeaderProvider]) {
        var headers = HeaderFields()
        if let accept = dogma.acceptedContentType {
            headers.fields[.accept] = accept
        }
        if let contentType {
            if let defect = HeaderCheck.defect(in: contentType, of: .contentType) {
                throw defect
            }
            headers.fields[.contentType] = contentType
        }
        if let own {
            headers.override(with: own)
        }
        if let field = authentication?.field {
            headers.providers.removeAll { $0.name == field }
        }
        return (headers.fields, headers.providers)
    }

    /// Returns the policy of the cache; one of a manager or a server holds for GET and HEAD only: to cache anything
    /// else is for an API or a call to say.
    private func cachePolicy(_ options: CallOptions, _ method: HTTPRequest.Method) -> CachePolicy {
        guard let policy = options[.cachePolicy], let level = options.level(of: .cachePolicy) else {
            let isRead = method.isRetrieval
            return isRead && options[.usesCacheUnlessDenied] == true ? .http : .networkOnly
        }
        if level >= .api {
            return policy
        }
        guard method.isRetrieval else {
            return .networkOnly
        }
        return policy.mode == .networkOnly && options[.usesCacheUnlessDenied] == true ? .http : policy
    }
}
