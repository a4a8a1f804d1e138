// SPDX-License-Identifier: MIT

extension TokenSource {
    /// Creates a source of a person's tokens, which asks the person to log in when there is no token, and refreshes it
    /// afterwards (RFC 6749, section 6).
    ///
    /// ``token()`` logs in before the first call, whose timeout would otherwise limit the login, too. All calls of the
    /// source wait for one login. It outlives a call that is cancelled or ends: the next one goes on with it, also in a
    /// program without a person.
    ///
    /// When the server does not accept the refresh token any more, the person logs in again. This is another session,
    /// since it may be another person: nothing of the old token is kept.
    /// ``keep(in:as:sealedWith:previous:onFailure:)`` keeps the tokens, and ``logOut()`` revokes and removes them.
    ///
    /// - Parameters:
    ///   - token: The first token, if there is one already.
    ///   - login: The way to log in.
    ///   - manager: The manager that sends the requests to the authorization server. The source does not retain it.
    public convenience init(_ token: AccessToken? = nil, login: OAuthLogin, on manager: RestClientManager) {
        self.init(token, renewal: LoginSession(login, OAuthSender(manager)).renewal)
    }
}
