// The login of the TypeScript SDK's clients, of both major versions.
import { redirect } from './browser.mjs';

// login returns how a target's client logs in: the provider for its transport, and retry,
// which runs what may need a login first. The login is "refresh" if the client registers for
// refresh tokens, or "code" if it doesn't. It is "document" if the client has a document instead.
export function login({ login, document }) {
	if (!login) return { provider: undefined, retry: attempt => attempt() };
	const provider = new Provider(login === 'refresh');
	if (login === 'document') provider.clientMetadataUrl = document;
	return { provider, retry: (attempt, finish) => provider.retry(attempt, finish) };
}

// A Provider is an OAuthClientProvider that keeps everything in memory.
class Provider {
	redirectUrl = 'http://127.0.0.1/callback'; // nobody listens there
	#kept = {};
	#answer; // of the authorization server, at the redirect URL

	constructor(refresh) {
		this.clientMetadata = {
			client_name: 'interop-typescript',
			redirect_uris: [this.redirectUrl],
			application_type: 'native',
			grant_types: refresh ? ['authorization_code', 'refresh_token'] : ['authorization_code'],
			response_types: ['code'],
			token_endpoint_auth_method: 'none',
		};
	}

	clientInformation() { return this.#kept.client; }
	saveClientInformation(client) { this.#kept.client = client; }
	tokens() { return this.#kept.tokens; }
	saveTokens(tokens) { this.#kept.tokens = tokens; }
	codeVerifier() { return this.#kept.verifier; }
	saveCodeVerifier(verifier) { this.#kept.verifier = verifier; }
	discoveryState() { return this.#kept.discovery; }
	saveDiscoveryState(discovery) { this.#kept.discovery = discovery; }

	async redirectToAuthorization(url) {
		this.#answer = (await redirect(url)).searchParams;
	}

	// In the SDK, an attempt that needs a login fails after the redirect. The program then
	// passes the answer to the SDK, and tries again.
	async retry(attempt, finish) {
		try {
			return await attempt();
		} catch (error) {
			const answer = this.#answer;
			this.#answer = undefined;
			if (!answer) throw error;
			await finish(answer);
			return attempt();
		}
	}
}
