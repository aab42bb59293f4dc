// An app that asks for access: a native OAuth client, at an authorization server.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';

const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'; // of RFC 7636, appendix B
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const state = 'a+b/c==';

// The client listens on a port that it gets when it starts.
const native = createServer((_, response) => response.end('You can close this page.'));
await new Promise(listening => native.listen(0, '127.0.0.1', listening));
const callback = `http://127.0.0.1:${native.address().port}/callback`;
export const close = () => native.close();

// request registers a client that wants to use a route, and returns the URL of its authorization
// request.
export async function request(route, { redirectURI = callback, name = 'Example App', scope = '' } = {}) {
	const registered = redirectURI.replace(/:\d+\/callback$/, '/callback'); // any port is right
	const { origin } = new URL(route);
	const response = await fetch(`${origin}/oauth/register`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ client_name: name, redirect_uris: [registered], token_endpoint_auth_method: 'none' }),
	});
	const { client_id } = await response.json();
	return `${origin}/oauth/authorize?` + new URLSearchParams({
		response_type: 'code', client_id, redirect_uri: redirectURI, state, scope, code_challenge: challenge, code_challenge_method: 'S256', resource: route,
	});
}

// answer returns what the client gets at its callback after its request.
export async function answer(page, authorization) {
	await page.waitForURL(url => url.href.startsWith(callback));
	const { searchParams } = new URL(page.url());
	assert.equal(searchParams.get('state'), state);
	assert.equal(searchParams.get('iss'), new URL(authorization).origin);
	return searchParams;
}

// redeem exchanges the code of an answer for tokens.
export async function redeem(authorization, answered) {
	const tokens = await token(authorization, { grant_type: 'authorization_code', redirect_uri: callback, code: answered.get('code'), code_verifier: verifier });
	assert.ok(tokens.access_token, JSON.stringify(tokens));
	return tokens;
}

// refresh asks for new tokens.
export const refresh = (authorization, tokens) => token(authorization, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token });

// token returns the answer of the token endpoint to the client of a request.
async function token(authorization, parameters) {
	const { origin, searchParams } = new URL(authorization);
	const response = await fetch(`${origin}/oauth/token`, { method: 'POST', body: new URLSearchParams({ client_id: searchParams.get('client_id'), ...parameters }) });
	return response.json();
}
