// A real OpenID provider for the tests: oidc-provider, on a free port of the loopback
// interface. It logs every user in as "ada", with a verified e-mail address, and grants all
// scopes that a client asks for, by redirects without a page. When it listens, it prints one
// line of JSON. It ends when its stdin ends.
//
// The path of a resource says which access tokens it gets: /opaque gets opaque tokens, all
// others get JSON Web Tokens. Those for /brief expire after three seconds.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

const scopes = ['mcp:use', 'files:write'];
const introspector = { id: 'interop-resource-server', secret: randomBytes(16).toString('hex') };

const server = createServer();
await new Promise(listening => server.listen(0, '127.0.0.1', listening));
const issuer = `http://127.0.0.1:${server.address().port}`;

const provider = new Provider(issuer, {
	clients: [{
		client_id: introspector.id, client_secret: introspector.secret,
		grant_types: [], redirect_uris: [], response_types: [],
	}],
	scopes: ['openid', 'offline_access', ...scopes],
	claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'] },
	findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, name: 'Ada', email: `${id}@example.com`, email_verified: true }) }),
	cookies: { keys: [randomBytes(16).toString('hex')] },
	interactions: { url: (_, { uid }) => `/interaction/${uid}` },
	// The TypeScript SDK registers a client for the scopes of the first challenge only. If the
	// provider enforced that, it would refuse the scopes of a later challenge.
	extraClientMetadata: { properties: ['scope'], validator: (_, name, value, client) => { delete client[name]; } },
	pkce: { required: () => true },
	rotateRefreshToken: true,
	issueRefreshToken: (_, client) => client.grantTypeAllowed('refresh_token'),
	// The tests check with this claim how the client got its token.
	extraTokenClaims: (_, token) => ({ grant: token.gty }),
	features: {
		devInteractions: { enabled: false },
		registration: { enabled: true },
		introspection: { enabled: true, allowedPolicy: (_, client) => client.clientId === introspector.id },
		revocation: { enabled: true },
		resourceIndicators: {
			enabled: true,
			getResourceServerInfo: (_, resource) => ({
				audience: resource,
				scope: scopes.join(' '),
				accessTokenFormat: new URL(resource).pathname === '/opaque' ? 'opaque' : 'jwt',
				accessTokenTTL: new URL(resource).pathname === '/brief' ? 3 : 600,
			}),
		},
	},
});

// answer ends an interaction: it logs the user in, or consents to all scopes.
async function answer(request, response) {
	const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
	if (prompt.name === 'login') {
		return provider.interactionFinished(request, response, { login: { accountId: 'ada' } });
	}
	const grant = grantId ? await provider.Grant.find(grantId) : new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
	const { missingOIDCScope, missingResourceScopes = {} } = prompt.details;
	if (missingOIDCScope) grant.addOIDCScope(missingOIDCScope.join(' '));
	for (const [resource, missing] of Object.entries(missingResourceScopes)) grant.addResourceScope(resource, missing.join(' '));
	return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } }, { mergeWithLastSubmission: true });
}

const callback = provider.callback();
server.on('request', (request, response) => {
	if (!request.url.startsWith('/interaction/')) return callback(request, response);
	answer(request, response).catch(error => response.writeHead(500).end(String(error)));
});
provider.on('server_error', (_, error) => console.error(error));

console.log(JSON.stringify({ issuer, introspector }));
process.stdin.on('end', () => process.exit(0)).resume();
