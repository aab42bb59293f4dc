package command

// All returns the commands in alphabetical order.
func All() []Command {
	scope := Flag{Name: "scope", Value: "SCOPE", Repeated: true}
	password := Flag{Name: "password-stdin", Text: "read the password from the first line of stdin; the default is to ask on the terminal"}
	with := func(f Flag, text string) Flag {
		f.Text = text
		return f
	}
	return []Command{
		{Name: "auth:purge", Summary: "Remove expired grants, tokens and logins, and unused clients", Example: "auth:purge"},
		{
			Name: "client:create", Argument: "NAME", Summary: "Make a client, and print its ID and secret",
			Example: "client:create Shop --redirect https://shop.example.com/callback --confidential", Flags: []Flag{
				{Name: "redirect", Value: "URI", Repeated: true, Text: "a redirect URI of the client; it needs one or more, unless --machine or --enterprise is given"},
				{Name: "confidential", Text: "give the client a secret"},
				{Name: "machine", Text: "let the client act for itself, without users (client_credentials)"},
				{Name: "enterprise", Text: "let the client exchange identity assertions of a company for tokens (ID-JAG)"},
				{Name: "jwks", Value: "FILE", Text: "give the client the public keys in the FILE (JWKS) instead of a secret (private_key_jwt)"},
				{Name: "jwks-uri", Value: "URL", Text: "the same with keys that the client publishes at the URL"},
				with(scope, "a SCOPE that the client may get; the default is all scopes, and with --machine the default scopes"),
				{Name: "resource", Value: "URL", Repeated: true, Text: "the URL of a guarded route whose tokens the client may introspect; it needs a secret"},
			},
		},
		{Name: "client:list", Summary: "List the clients", Example: "client:list"},
		{Name: "client:revoke", Argument: "ID", Summary: "Remove a client, which ends its tokens", Example: "client:revoke 6f1d2c"},
		{
			Name: "grant:list", Summary: "List the access that users have given clients", Example: "grant:list --user ana@example.com", Flags: []Flag{
				{Name: "user", Value: "EMAIL|ID", Text: "list only that of the user with the EMAIL|ID"},
			},
		},
		{Name: "grant:revoke", Argument: "ID", Summary: "End the access of a client, with its tokens", Example: "grant:revoke 6f1d2c"},
		{
			Name: "key:generate", Summary: "Make the file with the key that signs access tokens", Example: "key:generate", Flags: []Flag{
				{Name: "force", Text: "replace the file if it exists; tokens that were signed with the old keys stop working"},
			},
		},
		{Name: "key:rotate", Summary: "Add a new key, which signs access tokens after 10 minutes", Example: "key:rotate"},
		{Name: "session:end", Argument: "EMAIL|ID", Summary: "Log a user out of all browsers", Example: "session:end ana@example.com"},
		{
			Name: "token:create", Argument: "NAME", Summary: "Make a personal access token of a user, and print it",
			Example: "token:create laptop --user ana@example.com --expires 30d", Flags: []Flag{
				{Name: "user", Value: "EMAIL|ID", Required: true, Text: "the EMAIL|ID of the user whom the token stands for"},
				with(scope, "a SCOPE of the token; the default is the default scopes"),
				{Name: "expires", Value: "TIME", Text: "the TIME for which the token is valid, such as 12h or 30d; the default is 90d"},
			},
		},
		{
			Name: "token:list", Summary: "List the personal access tokens", Example: "token:list --user ana@example.com", Flags: []Flag{
				{Name: "user", Value: "EMAIL|ID", Text: "list only those of the user with the EMAIL|ID"},
			},
		},
		{Name: "token:revoke", Argument: "ID", Summary: "Remove a personal access token", Example: "token:revoke 6f1d2c"},
		{
			Name: "user:create", Argument: "EMAIL", Summary: "Make a user who logs in with a password", Example: "user:create ana@example.com", Flags: []Flag{password},
		},
		{Name: "user:disable", Argument: "EMAIL|ID", Summary: "Refuse a user's logins and tokens until user:enable", Example: "user:disable ana@example.com"},
		{Name: "user:enable", Argument: "EMAIL|ID", Summary: "Let a user log in again", Example: "user:enable ana@example.com"},
		{Name: "user:list", Summary: "List the users, and when each logged in last", Example: "user:list"},
		{
			Name: "user:password", Argument: "EMAIL|ID", Summary: "Set a user's password, and log the user out of all browsers",
			Example: "user:password ana@example.com", Flags: []Flag{password},
		},
		{
			Name: "user:remove", Argument: "EMAIL|ID", Summary: "Remove a user, with all tokens and the access of clients", Example: "user:remove ana@example.com",
		},
	}
}
