package limits

import "time"

// Requests to the authorization server of a program. The shares of clients apply to them too,
// such as ClientCalls and BodyTimeout.
const (
	// MaxForm is how many bytes a form for a client's request may have, such as one for tokens,
	// and MaxRegistration the same for the registration of a client. A larger one is refused
	// with 413.
	MaxForm         = 64 << 10
	MaxRegistration = 16 << 10
	// MaxPageForm is the same for the forms of the pages.
	MaxPageForm = 16 << 10
	// MaxParameter is how many bytes a parameter may have. One with more is refused as
	// malformed. MaxAssertion is the same for the assertions of clients and identity providers,
	// and MaxClientID for the ID of a client, which may be the URL of its document.
	MaxParameter = 4 << 10
	MaxAssertion = 16 << 10
	MaxClientID  = 512
	// RequestCapacity is the weight of the requests of one address that run at once: two, or
	// eight for tokens, which hosted clients send for all their users from few addresses. Further
	// ones wait for RequestPatience, since each may write to the store, and those of others would
	// wait for all of them.
	RequestCapacity    = 8
	RequestWeight      = 4
	TokenRequestWeight = 1
	RequestPatience    = 250 * time.Millisecond
	// MaxScopes is how many scopes a request may have. One with more is refused as malformed.
	MaxScopes = 100
)

// What clients say about themselves. A registration or document with more is refused.
const (
	// MaxClientName is how many characters the name of a client may have, and MaxMarks how many
	// combining marks each of them. More would cover the lines around the name.
	MaxClientName = 100
	MaxMarks      = 4
	// MaxClientURI is how many bytes a redirect URI, or the URL of a client's page or keys, may
	// have.
	MaxClientURI = 2048
)

// How long tokens and logins are valid.
const (
	// CodeTime is how long an authorization code is valid. Clients redeem it immediately.
	CodeTime = time.Minute
	// MaxAccessTime is the maximum of the times of access tokens: servers on other machines
	// accept one until it expires, even if it is revoked.
	MaxAccessTime = 24 * time.Hour
	// RefreshGrace is how long a used refresh token returns the same answer again.
	RefreshGrace = 30 * time.Second
	// PersonalTime is the default for personal access tokens.
	PersonalTime = 90 * 24 * time.Hour
	// SessionTime is how long a login is remembered.
	SessionTime = time.Hour
	// LiveTime is how long a grant that was live counts as live. An operator who disables a user
	// with a command finds that the next call is refused, and a busy client is looked up ten times
	// a second instead of at each call.
	LiveTime = 100 * time.Millisecond
	// UpstreamUserTime is how long a user whom an upstream provider lets in counts as let in.
	UpstreamUserTime = 4 * time.Second
	// UpstreamTimeout is how long an upstream provider has for an answer, and for all answers of a
	// login.
	UpstreamTimeout = 10 * time.Second
)

// The defaults of oauth.Limits. A request beyond them is refused with 429, one beyond
// AllAuthorizations with 503.
const (
	// Authorizations is how many authorization requests an address may send in a minute. Each
	// is kept until its user has decided, or for TransactionTime.
	Authorizations = 60
	// AllAuthorizations is how many authorization requests all addresses together may send in
	// TransactionTime, so that about twice as many are kept at most.
	AllAuthorizations = 5000
	// Registrations is how many clients an address may register in an hour.
	Registrations = 100
	// Documents is how many metadata documents of clients an address may make the server fetch in
	// a minute. Beyond it, the client's document can't be read.
	Documents = 30
	// WrongCredentials is how often the clients of an address may fail to authenticate themselves
	// in WrongTime, and each client with keys.
	WrongCredentials = 20
	// WrongTokens is how many codes and tokens that are not valid an address may send in WrongTime.
	WrongTokens = 600
	// Refreshes is how often the client of a grant may refresh its tokens in an hour. Used refresh
	// tokens are kept as long as their grant.
	Refreshes = 6000
)

// What an authorization server keeps for strangers.
const (
	// TransactionTime is how long a user has to log in and decide.
	TransactionTime = 10 * time.Minute
	// Transactions is how many authorization requests of one browser are kept, since browsers
	// keep a limited number of cookies. The first one gives way to the next.
	Transactions = 8
	// WrongTime is the time of WrongCredentials and WrongTokens.
	WrongTime = 10 * time.Minute
	// WrongVerifiers is how many wrong code verifiers end a grant.
	WrongVerifiers = 10
	// UnusedClients is how many registered clients are kept to which no user has given access.
	// The oldest give way. They are removed each minute, and at each registration whose number is
	// a multiple of PruneEvery: to do so at each one would triple the time that it takes.
	UnusedClients = 10_000
	PruneEvery    = 100
	// RedirectURIs is how many redirect URIs a client may have. A registration with more is refused.
	RedirectURIs = 10
	// ClientAssertionTime is how long the assertion of a client may be valid, and IdentityTime the
	// same for that of an identity provider. Their IDs are kept for as long, so that each is used
	// once.
	ClientAssertionTime = 5 * time.Minute
	IdentityTime        = time.Hour
	// KeyURLs is how many URLs of the keys of clients are remembered. Beyond it, the server
	// forgets those that nobody has used for a day, or an arbitrary one.
	KeyURLs = 1000
	// LiveGrants is how many grants, and how many personal access tokens, are remembered as live.
	// Beyond it, the server forgets those that it has to look up again anyway, or an arbitrary one.
	LiveGrants = 10_000
	// ShownClients is how many clients the account page shows.
	ShownClients = 100
	// MaxUser is how many bytes of JSON a user may have. A request has at most MaxToken for its
	// access token, which has the claims of the user.
	MaxUser = 4 << 10
	// RefusalLogs is how many log lines about refused clients, registrations and authorization
	// requests an address causes in a minute. Further ones are dropped.
	RefusalLogs = 5
	// LockOutReports is how many lock-outs of different names from one address are reported in
	// LockOutTime. Further ones are dropped. The lock-out of a name is reported once in that time.
	LockOutReports = 20
	LockOutTime    = time.Minute
)

// Fetches of the metadata documents of clients. A client whose document can't be fetched is
// refused.
const (
	// MaxDocument is how many bytes a document may have.
	MaxDocument = 5 << 10
	// MaxDocumentHeader is how many bytes the headers of its answer may have.
	MaxDocumentHeader = 16 << 10
	// DocumentTimeout is how long a fetch may take.
	DocumentTimeout = 5 * time.Second
	// FetchesAtOnce is how many documents an address may make the server fetch at once, and
	// HostFetches how many are fetched from one host at once.
	FetchesAtOnce = 4
	HostFetches   = 2
	// CachedDocuments is how many documents are remembered, and how many failures. Beyond it, the
	// server forgets an arbitrary one, and fetches it again.
	CachedDocuments = 1000
	// FailureTime is how long a failure is remembered. A document is remembered for the max-age of
	// its answer, which MinDocumentTime and MaxDocumentTime bound, or for DocumentTime.
	FailureTime     = 30 * time.Second
	DocumentTime    = 5 * time.Minute
	MinDocumentTime = time.Minute
	MaxDocumentTime = 24 * time.Hour
)

// Logins with passwords.
const (
	// MaxUserName is how many bytes the name of a user may have, and MaxPassword a password.
	// Longer ones are wrong.
	MaxUserName = 254
	MaxPassword = 1024
	// PasswordHashes is how many passwords are hashed at once, each in 7 MiB, on at most half of
	// the processors. Further logins wait.
	PasswordHashes = 4
	// NameTries and AddressTries are the defaults of login.Tries: how many wrong passwords a
	// name may have, and an address may send for all names, in TriesTime. The next try is
	// refused with 429.
	NameTries    = 5
	AddressTries = 20
	TriesTime    = time.Minute
	// KnownBrowser is how long a browser is remembered after a login, so that the tries of
	// others can't keep its user out. KnownUsers is how many users of one browser are remembered.
	KnownBrowser = 90 * 24 * time.Hour
	KnownUsers   = 8
)
