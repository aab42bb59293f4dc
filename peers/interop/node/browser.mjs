#!/usr/bin/env node
// A browser without a window and a user. It follows the redirects of a provider
// (provider.mjs) from the authorization endpoint to the client, with cookies.
//
// Usage: BROWSER=$PWD/browser.mjs makes clients run it with a URL.
import { argv } from 'node:process';
import { pathToFileURL } from 'node:url';

// redirect returns the URL of the client, with the code, that the provider redirects to.
export async function redirect(authorization) {
	const { origin } = new URL(authorization);
	const cookies = new Map();
	for (let url = new URL(authorization); ;) {
		if (url.origin !== origin) return url;
		const cookie = [...cookies].map(pair => pair.join('=')).join('; ');
		const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
		for (const line of response.headers.getSetCookie()) {
			const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
			cookies.set(name, value);
		}
		const location = response.headers.get('location');
		if (!location) throw new Error(`${url.origin}${url.pathname} answers ${response.status}: ${await response.text()}`);
		url = new URL(location, url);
	}
}

// visit loads a page of a client. Some clients listen only after they have opened the browser,
// since users take seconds to log in.
async function visit(url) {
	for (const deadline = Date.now() + 20_000; ;) {
		try {
			return await fetch(url);
		} catch (error) {
			if (Date.now() > deadline) throw error;
			await new Promise(resolve => setTimeout(resolve, 50));
		}
	}
}

if (import.meta.url === pathToFileURL(argv[1]).href) await visit(await redirect(argv[2]));
