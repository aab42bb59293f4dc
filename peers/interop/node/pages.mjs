// Drives Chromium through the pages of an authorization server: login, consent, account and
// error. It prints one line of JSON for each check; pages_test.go reads them.
//
// Usage: node pages.mjs '{"chromium":"/usr/bin/chromium","app":"http://…/mcp/private","many":"http://…/own","owner":"…","screenshots":"/tmp/…"}'
//
// The app is a guarded route of a program with one scope, and many is one of a program with many.
// The owner is a user of the app with the password of the others, who owns the account that the
// checks change.
import assert from 'node:assert/strict';
import { user } from './browser.mjs';
import { answer, close as closeClient, redeem, refresh, request } from './oauth_client.mjs';
import { open } from './walk.mjs';

const given = JSON.parse(process.argv[2]);
const { check, walk, close } = await open(given.chromium, given.screenshots);

const heading = page => page.locator('h1').innerText();
const isAt = (page, path) => page.waitForURL(url => url.pathname === path);
const press = (page, name) => page.getByRole('button', { name }).click();
const wrong = 'wrong horse';
const at = (route, path) => new URL(path, route).href;

async function logIn(page, password = user.password, name = user.name) {
	await page.getByLabel('E-mail address').fill(name);
	await page.getByLabel('Password', { exact: true }).fill(password);
	await press(page, 'Log in');
}

// ask opens a client's request, logs in, and comes to the consent page.
async function ask(page, authorization) {
	await page.goto(authorization);
	await logIn(page);
	await isAt(page, '/oauth/consent');
}

// allow lets a client have what its consent page shows, and returns its tokens.
async function allow(page, authorization) {
	await press(page, 'Allow');
	return redeem(authorization, await answer(page, authorization));
}

// afterwards does what leads to another page, and waits for that, even if it is much like the first.
const afterwards = (page, act) => Promise.all([page.waitForEvent('load'), act()]);

// tooOften tries a wrong password until the server doesn't look at it.
async function tooOften(page, attempt) {
	for (let n = 0; n < 10; n++) {
		await attempt();
		if ((await page.getByRole('alert').innerText()).startsWith('Too many attempts.')) return;
	}
	assert.fail('the server looked at ten wrong passwords');
}

await walk('login and consent', async (page, look) => {
	const authorization = await request(given.app);
	await page.goto(authorization);
	assert.equal(await heading(page), 'Log in to Demo');
	await look('login');
	await logIn(page, wrong);
	await page.getByRole('alert').getByText('The name or the password is wrong').waitFor();
	assert.equal(await page.getByLabel('E-mail address').inputValue(), user.name);
	await page.locator('#password:focus').waitFor();
	await look('login-wrong');
	await logIn(page);
	await isAt(page, '/oauth/consent');
	assert.equal(await heading(page), 'Allow Example App access?');
	await page.getByText(user.name).waitFor();
	await look('consent');
	const tokens = await allow(page, authorization);
	assert.equal(tokens.scope, 'mcp:use');

	// The same browser again: the user is logged in, takes the scope away, and gets none.
	await page.goto(authorization);
	await isAt(page, '/oauth/consent');
	await page.getByRole('checkbox').uncheck();
	assert.equal((await allow(page, authorization)).scope ?? '', '');
});

await walk('denial', async (page, look) => {
	const authorization = await request(given.app);
	await ask(page, authorization);
	await press(page, 'Deny');
	const parameters = await answer(page, authorization);
	assert.equal(parameters.get('error'), 'access_denied');
	assert.equal(parameters.get('code'), null);
	await page.goBack(); // the decision can't be made again
	await page.getByText('This page has expired').waitFor();
	await look('error-expired');
});

await check('another user', {}, async page => {
	await ask(page, await request(given.app));
	await page.getByRole('link', { name: 'Not you?' }).click();
	await isAt(page, '/oauth/login');
	await logIn(page);
	await isAt(page, '/oauth/consent');
});

// The policy form-action must let the redirect to the private scheme through. No program
// opens it here.
await check('private scheme', {}, async page => {
	await ask(page, await request(given.app, { redirectURI: 'cursor://anysphere.cursor-mcp/oauth/callback' }));
	await page.getByText('a program on this computer', { exact: true }).waitFor();
	const [redirected] = await Promise.all([
		page.waitForEvent('request', sent => sent.url().startsWith('cursor:')),
		page.getByRole('button', { name: 'Allow' }).click({ noWaitAfter: true }),
	]);
	const { searchParams } = new URL(redirected.url());
	assert.ok(searchParams.get('code'));
	assert.equal(searchParams.get('state'), 'a+b/c==');
	assert.ok(redirected.redirectedFrom());
});

const longName = 'Extraordinarily long name of an application with_a_word_that_has_no_space_at_all_in_it_and_no_end_';
const manyScopes = 'mcp:use files:read files:write calendar:events:read calendar:events:write contacts:read contacts:write administration:everything';

await walk('long texts', async (page, look) => {
	const authorization = await request(given.many, { name: longName, scope: manyScopes });
	await page.goto(authorization);
	await look('login-long');
	await logIn(page);
	await isAt(page, '/oauth/consent');
	await look('consent-long');
	await allow(page, authorization);
	await page.goto(at(given.many, '/oauth/account'));
	await look('account-long');
	await press(page, `access of ${longName}`); // the next walk shows its own alone
	await page.getByRole('status').waitFor();
});

await walk('two tabs', async (page, look) => {
	const tabs = { first: page, second: await page.context().newPage() }, asked = {};
	for (const name in tabs) {
		asked[name] = await request(given.many, { name: `App of the ${name} tab` });
		await tabs[name].goto(asked[name]);
	}
	for (const name in tabs) {
		await look(`tab-${name}-login`, tabs[name]);
		await logIn(tabs[name]);
	}
	for (const name in tabs) {
		await isAt(tabs[name], '/oauth/consent');
		assert.equal(await heading(tabs[name]), `Allow App of the ${name} tab access?`);
		await look(`tab-${name}-consent`, tabs[name]);
	}
	for (const name in tabs) await allow(tabs[name], asked[name]);
});

// A client asks for one scope, and for another one when a call needs it.
await walk('a scope that is asked for later', async (page, look) => {
	const first = await request(given.many, { scope: 'mcp:use' });
	await page.goto(first);
	await logIn(page);
	await isAt(page, '/oauth/consent');
	assert.equal(await page.getByRole('checkbox').count(), 1);
	assert.equal((await allow(page, first)).scope, 'mcp:use');
	const later = new URL(first);
	later.searchParams.set('scope', 'mcp:use files:write');
	await page.goto(String(later));
	await isAt(page, '/oauth/consent'); // the user is logged in
	await page.getByLabel('Change, rename and remove your files').waitFor();
	await look('later');
	assert.deepEqual((await allow(page, later)).scope.split(' ').sort(), ['files:write', 'mcp:use']);
});

// The owner of the account sees which clients have access, and ends it.
await walk('account', async (page, look) => {
	await page.goto(at(given.app, '/oauth/account')); // no client asks
	await look('account-login');
	await logIn(page, user.password, given.owner);
	await isAt(page, '/oauth/account');
	assert.equal(await heading(page), 'Your account at Demo');
	const refreshes = {};
	for (const name of ['First', 'Second']) {
		const authorization = await request(given.app, { name: `${name} App` });
		await page.goto(authorization);
		await isAt(page, '/oauth/consent'); // the user is logged in
		const tokens = await allow(page, authorization);
		refreshes[name] = () => refresh(authorization, tokens);
	}
	await page.goto(at(given.app, '/oauth/account'));
	await look('account');
	for (const [name, shown] of [['First', 'account-ended'], ['Second', 'account-none']]) {
		await afterwards(page, () => press(page, `access of ${name} App`));
		await page.getByRole('status').getByText('The app no longer has access.').waitFor();
		assert.equal(await page.getByText(`${name} App`).count(), 0);
		await look(shown);
		assert.equal((await refreshes[name]()).error, 'invalid_grant');
	}
	await page.getByText('No app has access').waitFor();
});

// The owner changes the password, logs out, and has to wait after too many wrong passwords.
await walk('password and logout', async (page, look) => {
	const change = (current, next) => afterwards(page, async () => {
		await page.getByLabel('Current password').fill(current);
		await page.getByLabel('New password').fill(next);
		await press(page, 'Change password');
	});
	const isChanged = () => page.getByRole('status').getByText('Your password was changed.').waitFor();
	const isOut = () => page.getByText('You are logged out.').waitFor();
	const another = 'another correct horse';
	await page.goto(at(given.app, '/oauth/account'));
	await logIn(page, user.password, given.owner);
	await isAt(page, '/oauth/account');
	await change(wrong, another);
	await page.getByRole('alert').getByText('The current password is wrong.').waitFor();
	await look('password-wrong');
	await change(user.password, 'short');
	await page.getByRole('alert').getByText('too short').waitFor();
	await look('password-short');
	await change(user.password, another);
	await isChanged();
	await look('password-changed');
	await change(another, user.password);
	await isChanged();
	await press(page, 'Log out');
	await isOut();
	await look('logout');
	await page.getByRole('link', { name: 'Log in' }).click();
	await logIn(page, user.password, given.owner);
	await isAt(page, '/oauth/account');
	await tooOften(page, () => change(wrong, another));
	await look('password-wait');
	await press(page, 'Log out');
	await isOut();
	await page.getByRole('link', { name: 'Log in' }).click();
	await isAt(page, '/oauth/login');
	await tooOften(page, () => afterwards(page, () => logIn(page, wrong, given.owner)));
	await look('login-wait');
});

await check('password is shown', {}, async page => {
	await page.goto(at(given.app, '/oauth/account'));
	await page.getByLabel('Password', { exact: true }).fill('secret');
	await page.getByLabel('Show password').check();
	assert.equal(await page.locator('#password').getAttribute('type'), 'text');
	await page.getByLabel('Show password').uncheck();
	assert.equal(await page.locator('#password').getAttribute('type'), 'password');
});

await check('keyboard', {}, async page => {
	const authorization = await request(given.app);
	await page.goto(authorization);
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
	assert.ok((await answer(page, authorization)).get('code'));
});

await check('without JavaScript', { javaScriptEnabled: false }, async page => {
	const authorization = await request(given.app);
	await ask(page, authorization);
	await allow(page, authorization);
});

await walk('errors', async (page, look) => {
	const right = await request(given.many);
	for (const [shown, changes, text] of [
		['error-client', { client_id: 'unknown' }, 'remove this server and add it again'],
		['error-redirect', { redirect_uri: 'https://evil.example/' }, 'that it has not registered'],
		['error-return', { code_challenge_method: 'plain' }, 'The code_challenge_method must be S256'],
	]) {
		const url = new URL(right);
		for (const name in changes) url.searchParams.set(name, changes[name]);
		const response = await page.goto(String(url));
		assert.equal(response.status(), 400);
		assert.match(await page.locator('main').innerText(), new RegExp(text));
		assert.equal(new URL(page.url()).origin, url.origin);
		await look(shown);
	}
	await page.getByRole('link', { name: /^Back to/ }).click(); // of the last one
	assert.equal((await answer(page, right)).get('error'), 'invalid_request');
});

// The last walk, since the program then lets this computer wait.
await walk('too many requests', async (page, look) => {
	const authorization = await request(given.app);
	const most = 60; // of an address in a minute
	let status;
	for (let n = 0; n < 10 && status !== 429; n++) { // one more is allowed each second
		await Promise.all(Array.from({ length: most }, async () => (await fetch(at(given.app, '/oauth/authorize'))).text()));
		status = (await page.goto(authorization)).status();
	}
	assert.equal(status, 429);
	await page.getByText('There were too many requests.').waitFor();
	assert.equal(await page.getByRole('link', { name: 'Try again' }).getAttribute('href'), authorization);
	await look('error-busy');
});

await close();
closeClient();
