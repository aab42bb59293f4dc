// Uses a server on the web page of the MCP Inspector, as a person does: it connects to the
// server, looks at its tools, calls one with an argument, and looks for a text in the results.
// If anything isn't there, it leaves a screenshot, prints the page, and ends with 1.
//
// Usage: node inspector.mjs '{"chromium":"/usr/bin/chromium","url":"http://…","server":"demo","tools":["echo"],
// "tool":"echo","argument":"message","value":"hello","text":"hello","screenshots":"/tmp/…"}'
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const given = JSON.parse(process.argv[2]);
const browser = await chromium.launch({ executablePath: given.chromium });
const page = await browser.newPage();
page.setDefaultTimeout(60_000); // of one step, on a busy machine
try {
	await page.goto(given.url);
	await page.getByRole('switch', { name: `Connect or disconnect "${given.server}"` }).press('Space');
	assert.equal(await page.getByText(/^(Connected|Failed)$/).textContent(), 'Connected', `the state of ${given.server}`);
	await page.getByRole('banner').getByText('Tools', { exact: true }).click();
	await page.getByRole('heading', { name: `Tools (${given.tools.length})` }).waitFor();
	for (const tool of given.tools) await page.getByRole('button', { name: tool }).waitFor();

	await page.getByRole('button', { name: given.tool }).click();
	const execute = page.getByRole('button', { name: 'Execute Tool' });
	assert.ok(await execute.isDisabled(), 'the tool can be executed without its argument');
	await page.getByRole('textbox', { name: given.argument, exact: true }).fill(given.value);
	await execute.click();
	await page.getByRole('heading', { name: 'Results' }).waitFor();
	await page.locator('pre').getByText(given.text, { exact: true }).waitFor();
} catch (caught) {
	console.log(`${caught.stack}\nThe page ${page.url()} is:\n${await page.locator('body').ariaSnapshot().catch(String)}`);
	await page.screenshot({ path: join(given.screenshots, `inspector-${given.server}.png`), fullPage: true }).catch(String);
	process.exitCode = 1;
}
await browser.close();
