#!/usr/bin/env node
// A browser without a window and a person. It follows the redirects of an authorization server
// from the authorization endpoint to the client, with cookies. It fills in the forms on the
// way: it logs the user in and allows all scopes.
//
// Usage: BROWSER=$PWD/browser.mjs makes clients run it with a URL. "browser.mjs --print URL"
// prints the URL of the client that the server redirects to, and doesn't load it.
import { argv } from 'node:process';
import { pathToFileURL } from 'node:url';

// The user of the tests, whom program.addUser (app_test.go) creates.
export const user = { name: 'ada@example.com', password: 'correct horse battery staple' };

// redirect returns the URL of the client, with the code, that the server redirects to.
export async function redirect(authorization) {
	const { origin } = new URL(authorization);
	const cookies = new Map();
	let url = new URL(authorization), body;
	while (url.origin === origin) {
		const cookie = [...cookies].map(pair => pair.join('=')).join('; ');
		const response = await fetch(url, { method: body ? 'POST' : 'GET', body, redirect: 'manual', headers: body ? { cookie, origin } : { cookie } });
		for (const line of response.headers.getSetCookie()) {
			const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
			cookies.set(name, value);
		}
		const text = await response.text();
		if (response.status === 429) { // the user logs in with many clients at once
			await new Promise(resolve => setTimeout(resolve, 200));
			continue;
		}
		const location = response.headers.get('location');
		if (location) {
			url = new URL(location, url);
			body = undefined;
			continue;
		}
		const form = /<form method="post" action="([^"]*)">(.*?)<\/form>/s.exec(text);
		if (!response.ok || !form) throw new Error(`${url.origin}${url.pathname} answers ${response.status}: ${text}`);
		url = new URL(unescape(form[1]), url);
		body = filled(form[2]);
	}
	return url;
}

// filled returns the fields of a form. Boxes stay as they are, and the pressed button is the one
// that approves.
function filled(form) {
	const fields = new URLSearchParams();
	for (const [, text] of form.matchAll(/<(?:input|button)\b([^>]*)>/g)) {
		const { name, value = '', type, ...others } = Object.fromEntries([...text.matchAll(/([a-z-]+)(?:="([^"]*)")?/g)].map(([, key, given]) => [key, unescape(given ?? '')]));
		if (name === 'name' || name === 'password') fields.append(name, user[name]);
		else if (type === 'hidden' || type === 'checkbox' && 'checked' in others || value === 'approve') fields.append(name, value);
	}
	return fields;
}

// unescape returns the text of an attribute.
function unescape(text) {
	return text.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(code)).replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
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

if (import.meta.url === pathToFileURL(argv[1]).href) {
	if (argv[2] === '--print') console.log(String(await redirect(argv[3])));
	else await visit(await redirect(argv[2]));
}
