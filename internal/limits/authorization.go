package limits

import "time"

// Authorization.
const (
	// MaxToken is how many bytes an access token may have. A longer one is refused.
	MaxToken = 8 << 10
	// MaxChallengeScopes is how many bytes of the scopes of a token a challenge has, and
	// MaxDescription how many bytes its description has. The rest is cut off: many proxies
	// refuse an answer whose headers have more than 4 KiB.
	MaxChallengeScopes = 1 << 10
	MaxDescription     = 256
	// AccessCheck is how often the access token of an open stream is checked again, so that
	// the stream ends soon after the token was revoked.
	AccessCheck = 4 * time.Second
	// AccessCheckTime is how long such a check may take. A longer one decides nothing, and the
	// token is checked again later.
	AccessCheckTime = 5 * time.Second
)

// Verifiers of access tokens.
const (
	// MaxClaim is how many bytes of a claim a log line shows. The rest is cut off.
	MaxClaim = 256
	// MaxTokens is how many valid tokens a verifier remembers. Beyond it, it forgets those that
	// have expired, or else an arbitrary one, which it then verifies again.
	MaxTokens = 10_000
	// MaxInactiveTokens is the same for tokens that an introspection endpoint has refused.
	MaxInactiveTokens = 1000
	// Leeway is the default of auth.Issuer.Leeway: how far the clock of an issuer may differ.
	// A token that has expired for longer is refused.
	Leeway = 30 * time.Second
	// MaxLeeway is the maximum of that setting.
	MaxLeeway = 5 * time.Minute
)

// Requests to the issuers of access tokens.
const (
	// IssuerTimeout is how long a fetch of keys or an introspection may take, including the
	// fetch of the metadata. Then the client gets 503.
	IssuerTimeout = 5 * time.Second
	// MaxIssuerDocument is how many bytes an answer of an issuer may have. The rest of a longer
	// one is not read, and the request counts as a failure.
	MaxIssuerDocument = 512 << 10
	// IssuerPause is how long a verifier waits after a failure before it sends the next request
	// to the issuer. The pause doubles with each failure, up to MaxIssuerPause. Until it ends,
	// tokens that can't be verified without the issuer are refused with 503.
	IssuerPause    = time.Second
	MaxIssuerPause = 30 * time.Second
	// OutageLog is the least time between two log lines about outages of an issuer.
	OutageLog = time.Minute
	// MaxKeys is how many keys an issuer may publish. A larger set counts as a failure.
	MaxKeys = 100
	// MaxTriedKeys is how many keys a set may have if a token doesn't name its key. A token for
	// which more would have to be tried is refused.
	MaxTriedKeys = 10
	// MinKeyAge and MaxKeyAge are the bounds of the max-age of an issuer's keys, after which
	// they are fetched again in the background. Without a max-age it is MinKeyAge. The URL of
	// the keys is discovered again after MaxKeyAge.
	MinKeyAge = 5 * time.Minute
	MaxKeyAge = time.Hour
	// StaleKeys is how long keys are used if no newer ones can be fetched. Then tokens are
	// refused with 503.
	StaleKeys = 24 * time.Hour
	// UnknownKeyPause is the least time between two fetches of keys because of tokens with an
	// unknown key. Until then, such tokens are refused.
	UnknownKeyPause = time.Minute
	// UnknownKeyWait is how long a request waits for such a fetch. Then it is refused with 503.
	UnknownKeyWait = 50 * time.Millisecond
	// IntrospectionTime is the default of auth.IntrospectionConfig.CacheTime: how long the
	// answer about a valid token is used.
	IntrospectionTime = 30 * time.Second
	// InactiveTime is how long the answer about a token that is not valid is used.
	InactiveTime = 5 * time.Second
	// IntrospectionCalls is how many introspections run at once. A request that needs one more
	// is refused with 503. UnknownIntrospections is how many run for tokens that were not valid
	// before, so that clients with made-up tokens leave some for those with valid ones.
	IntrospectionCalls    = 64
	UnknownIntrospections = 48
)
