// Drives Chromium through the pages of an authorization server: login, consent, account and
// error. It prints one line of JSON for each check; pages_test.go reads them.
//
// Usage: node pages.mjs '{"chromium":"/usr/bin/chromium","app":"http://…","many":"http://…","screenshots":"/tmp/…"}'
//
// The app is a program with one scope, and many is one with many scopes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { user } from './browser.mjs';

const given = JSON.parse(process.argv[2]);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'; // of RFC 7636, appendix B
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

// A native client listens on a port that it gets when it starts.
const native = createServer((_, response) => response.end('You can close this page.'));
await new Promise(listening => native.listen(0, '127.0.0.1', listening));
const callback = `http://127.0.0.1:${native.address().port}/callback`;
const privateURI = 'cursor://anysphere.cursor-mcp/oauth/callback';

const browser = await chromium.launch({ executablePath: given.chromium });

// check runs a check in a new window. It fails if the browser reports an error, such as a
// violation of the content security policy. The status of an error page is none.
async function check(name, options, run) {
	const context = await browser.newContext(options);
	context.setDefaultTimeout(15_000);
	const page = await context.newPage();
	const reported = [];
	page.on('console', message => message.type() === 'error' && reported.push(message.text()));
	page.on('pageerror', error => reported.push(String(error)));
	let error;
	try {
		await run(page);
		assert.deepEqual(reported.filter(text => !/the server responded with a status of 4\d\d/.test(text)), []);
	} catch (caught) {
		error = `${caught.stack}\nThe page was ${page.url()}:\n${await page.content().catch(String)}`;
	}
	console.log(JSON.stringify({ name, error }));
	await context.close();
}

// request registers a client, and returns the URL of its authorization request.
async function request(issuer, redirectURI, { name = 'Example App', scope = '', ...changes } = {}) {
	const registered = redirectURI.replace(/:\d+\/callback$/, '/callback'); // any port is right
	const response = await fetch(`${issuer}/oauth/register`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ client_name: name, redirect_uris: [registered], token_endpoint_auth_method: 'none' }),
	});
	const { client_id } = await response.json();
	return `${issuer}/oauth/authorize?` + new URLSearchParams({
		response_type: 'code', client_id, redirect_uri: redirectURI, state: 'a+b/c==', scope, code_challenge: challenge, code_challenge_method: 'S256',
		resource: issuer === given.app ? `${issuer}/mcp/private` : `${issuer}/own`, ...changes,
	});
}

const heading = page => page.locator('h1').innerText();
const isAt = (page, path) => page.waitForURL(url => url.pathname === path);

async function logIn(page, password = user.password, name = user.name) {
	await page.getByLabel('E-mail address').fill(name);
	await page.getByLabel('Password', { exact: true }).fill(password);
	await page.getByRole('button', { name: 'Log in' }).click();
}

// answer returns what the client gets at its callback.
async function answer(page) {
	await page.waitForURL(url => url.href.startsWith(callback));
	const { searchParams } = new URL(page.url());
	assert.equal(searchParams.get('state'), 'a+b/c==');
	assert.equal(searchParams.get('iss'), given.app);
	return searchParams;
}

// redeem exchanges the code of an answer for tokens.
async function redeem(authorization, parameters) {
	const asked = new URL(authorization).searchParams;
	const response = await fetch(`${given.app}/oauth/token`, {
		method: 'POST',
		body: new URLSearchParams({
			grant_type: 'authorization_code', client_id: asked.get('client_id'), redirect_uri: callback, code: parameters.get('code'), code_verifier: verifier,
		}),
	});
	const tokens = await response.json();
	assert.equal(response.status, 200, JSON.stringify(tokens));
	return tokens;
}

await check('login and consent', {}, async page => {
	const authorization = await request(given.app, callback);
	await page.goto(authorization);
	assert.equal(await heading(page), 'Log in to Demo');
	await logIn(page, 'wrong horse');
	await page.getByRole('alert').getByText('The name or the password is wrong').waitFor();
	assert.equal(await page.getByLabel('E-mail address').inputValue(), user.name);
	await page.locator('#password:focus').waitFor();
	await logIn(page);
	await isAt(page, '/oauth/consent');
	assert.equal(await heading(page), 'Allow Example App access?');
	await page.getByText(user.name).waitFor();
	await page.getByRole('button', { name: 'Allow' }).click();
	const tokens = await redeem(authorization, await answer(page));
	assert.equal(tokens.scope, 'mcp:use');

	// The same browser again: the user is logged in, takes the scope away, and gets none.
	await page.goto(authorization);
	await isAt(page, '/oauth/consent');
	await page.getByRole('checkbox').uncheck();
	await page.getByRole('button', { name: 'Allow' }).click();
	assert.equal((await redeem(authorization, await answer(page))).scope ?? '', '');
});

await check('denial', {}, async page => {
	await page.goto(await request(given.app, callback));
	await logIn(page);
	await isAt(page, '/oauth/consent');
	await page.getByRole('button', { name: 'Deny' }).click();
	const parameters = await answer(page);
	assert.equal(parameters.get('error'), 'access_denied');
	assert.equal(parameters.get('code'), null);
	await page.goBack(); // the decision can't be made again
	await page.getByText('This page has expired').waitFor();
});

await check('another user', {}, async page => {
	await page.goto(await request(given.app, callback));
	await logIn(page);
	await isAt(page, '/oauth/consent');
	await page.getByRole('link', { name: 'Not you?' }).click();
	await isAt(page, '/oauth/login');
	await logIn(page);
	await isAt(page, '/oauth/consent');
});

// The policy form-action must let the redirect to the private scheme through. No program
// opens it here.
await check('private scheme', {}, async page => {
	await page.goto(await request(given.app, privateURI));
	await logIn(page);
	await isAt(page, '/oauth/consent');
	await page.getByText('a program on this computer').waitFor();
	const [redirected] = await Promise.all([
		page.waitForEvent('request', sent => sent.url().startsWith('cursor:')),
		page.getByRole('button', { name: 'Allow' }).click({ noWaitAfter: true }),
	]);
	const { searchParams } = new URL(redirected.url());
	assert.ok(searchParams.get('code'));
	assert.equal(searchParams.get('state'), 'a+b/c==');
	assert.ok(redirected.redirectedFrom());
});

await check('two tabs', {}, async page => {
	const other = await page.context().newPage();
	const [first, second] = [await request(given.app, callback, { name: 'First' }), await request(given.app, callback, { name: 'Second' })];
	await page.goto(first);
	await other.goto(second);
	await logIn(page);
	await logIn(other);
	for (const [tab, authorization] of [[page, first], [other, second]]) {
		await isAt(tab, '/oauth/consent');
		await tab.getByRole('button', { name: 'Allow' }).click();
		await redeem(authorization, await answer(tab));
	}
});

await check('account', {}, async page => {
	const authorization = await request(given.app, callback, { name: 'Forgotten App' });
	await page.goto(authorization);
	await logIn(page);
	await isAt(page, '/oauth/consent');
	await page.getByRole('button', { name: 'Allow' }).click();
	const tokens = await redeem(authorization, await answer(page));
	await page.goto(`${given.app}/oauth/account`);
	assert.equal(await heading(page), 'Your account at Demo');
	await page.getByRole('button', { name: 'End the access of Forgotten App' }).click();
	await page.getByRole('status').getByText('The app no longer has access.').waitFor();
	assert.equal(await page.getByText('Forgotten App').count(), 0);
	const refused = await fetch(`${given.app}/oauth/token`, {
		method: 'POST', body: new URLSearchParams({ grant_type: 'refresh_token', client_id: new URL(authorization).searchParams.get('client_id'), refresh_token: tokens.refresh_token }),
	});
	assert.equal((await refused.json()).error, 'invalid_grant');

	const change = async (current, next) => {
		await page.getByLabel('Current password').fill(current);
		await page.getByLabel('New password').fill(next);
		await page.getByRole('button', { name: 'Change password' }).click();
	};
	await change('wrong horse', 'another horse');
	await page.getByRole('alert').getByText('The current password is wrong.').waitFor();
	await change(user.password, 'short');
	await page.getByRole('alert').getByText('too short').waitFor();
	await change(user.password, 'another correct horse');
	await page.getByRole('status').getByText('Your password was changed.').waitFor();
	await change('another correct horse', user.password);
	await page.getByRole('status').waitFor();
	await page.getByRole('button', { name: 'Log out' }).click();
	await page.getByText('You are logged out.').waitFor();
	await page.getByRole('link', { name: 'Log in' }).click();
	await logIn(page);
	await isAt(page, '/oauth/account');
});

await check('password is shown', {}, async page => {
	await page.goto(`${given.app}/oauth/account`);
	await page.getByLabel('Password', { exact: true }).fill('secret');
	await page.getByLabel('Show password').check();
	assert.equal(await page.locator('#password').getAttribute('type'), 'text');
	await page.getByLabel('Show password').uncheck();
	assert.equal(await page.locator('#password').getAttribute('type'), 'password');
});

// A client asks for one scope, and for another one when a call needs it.
await check('a scope that is asked for later', {}, async page => {
	const first = await request(given.many, callback, { scope: 'mcp:use' });
	await page.goto(first);
	await logIn(page);
	await isAt(page, '/oauth/consent');
	assert.equal(await page.getByRole('checkbox').count(), 1);
	await page.getByRole('button', { name: 'Allow' }).click();
	await page.waitForURL(url => url.href.startsWith(callback));
	const later = new URL(first);
	later.searchParams.set('scope', 'mcp:use files:write');
	await page.goto(String(later));
	await isAt(page, '/oauth/consent');
	await page.getByLabel('Change, rename and remove your files').waitFor();
	await page.getByRole('button', { name: 'Allow' }).click();
	await page.waitForURL(url => url.href.startsWith(callback));
	assert.ok(new URL(page.url()).searchParams.get('code'));
});

await check('keyboard', {}, async page => {
	await page.goto(await request(given.app, callback));
	const { keyboard } = page;
	await page.locator('#name:focus').waitFor(); // without a click
	await keyboard.type(user.name);
	await keyboard.press('Tab');
	await keyboard.type(user.password);
	await keyboard.press('Enter');
	await isAt(page, '/oauth/consent');
	const seen = [];
	for (let n = 0; n < 10 && seen.at(-1) !== 'Allow'; n++) {
		await keyboard.press('Tab');
		const focus = await page.evaluate(() => {
			const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
			return { name: document.activeElement.innerText || document.activeElement.value, outline: `${outlineStyle} ${outlineWidth}` };
		});
		assert.equal(focus.outline, 'solid 3px', focus.name);
		seen.push(focus.name);
	}
	assert.deepEqual(seen, ['mcp:use', 'Not you?', 'Deny', 'Allow']);
	await keyboard.press('Enter');
	assert.ok((await answer(page)).get('code'));
});

await check('without JavaScript', { javaScriptEnabled: false }, async page => {
	const authorization = await request(given.app, callback);
	await page.goto(authorization);
	await logIn(page);
	await isAt(page, '/oauth/consent');
	await page.getByRole('button', { name: 'Allow' }).click();
	await redeem(authorization, await answer(page));
});

await check('errors', {}, async page => {
	const right = await request(given.app, callback);
	for (const [changes, text] of [
		[{ client_id: 'unknown' }, 'remove this server and add it again'],
		[{ redirect_uri: 'https://evil.example/' }, 'that it has not registered'],
		[{ code_challenge_method: 'plain' }, 'The code_challenge_method must be S256'],
	]) {
		const wrong = new URL(right);
		for (const name in changes) wrong.searchParams.set(name, changes[name]);
		const response = await page.goto(String(wrong));
		assert.equal(response.status(), 400);
		assert.match(await page.locator('main').innerText(), new RegExp(text));
		assert.ok(page.url().startsWith(given.app), page.url());
	}
	await page.getByRole('link', { name: /^Back to/ }).click(); // of the last one
	assert.equal((await answer(page)).get('error'), 'invalid_request');
});

// isAccessible fails if axe finds anything, or if a part of the page is out of sight.
async function isAccessible(page) {
	const { violations, incomplete } = await page.evaluate(`${axe}; axe.run()`);
	assert.deepEqual([...violations, ...incomplete].map(({ id, nodes }) => `${id}: ${nodes.map(node => `${node.html} ${node.failureSummary ?? ''}`).join('; ')}`), []);
	const [content, width] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
	assert.ok(content <= width, `the page is ${content} wide, and the window ${width}`);
}

const sizes = { phone: { width: 360, height: 740 }, desk: { width: 1280, height: 800 } };
const longName = 'Extraordinarily long name of an application with_a_word_that_has_no_space_at_all_in_it_and_no_end_';
const manyScopes = 'mcp:use files:read files:write calendar:events:read calendar:events:write contacts:read contacts:write administration:everything';

for (const [size, viewport] of Object.entries(sizes)) {
	for (const colorScheme of ['light', 'dark']) {
		await check(`looks ${size} ${colorScheme}`, { viewport, colorScheme, deviceScaleFactor: size === 'phone' ? 2 : 1 }, async page => {
			const shows = async name => {
				await isAccessible(page);
				await page.screenshot({ path: join(given.screenshots, `${name}-${size}-${colorScheme}.png`), fullPage: true });
			};
			const right = await request(given.app, callback);
			await page.goto(right);
			await shows('login');
			await logIn(page, 'wrong horse', `${size}-${colorScheme}@example.com`); // five failed tries of one name in a minute block it
			await page.getByRole('alert').waitFor();
			await shows('login-wrong');
			await logIn(page);
			await isAt(page, '/oauth/consent');
			await shows('consent');
			await page.goto(right.replace('client_id=', 'client_id=x'));
			await shows('error');
			await page.goto(right.replace('S256', 'plain'));
			await shows('error-return');
			await page.goto(await request(given.many, callback, { name: longName, scope: manyScopes }));
			await shows('login-long');
			await logIn(page);
			await isAt(page, '/oauth/consent');
			await shows('consent-long');
			await page.getByRole('button', { name: 'Allow' }).click();
			await page.waitForURL(url => url.href.startsWith(callback));
			await page.goto(`${given.many}/oauth/account`);
			await shows('account');
			await page.getByRole('button', { name: 'Log out' }).click();
			await page.getByText('You are logged out.').waitFor();
			await shows('account-out');
		});
	}
}

await browser.close();
native.close();
