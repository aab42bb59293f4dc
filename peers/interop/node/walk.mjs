// Runs checks of pages in Chromium, and looks at the pages.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const sizes = { desk: { width: 1280, height: 800 }, phone: { width: 360, height: 740 } };

// open starts Chromium, whose screenshots go to a folder.
export async function open(executablePath, screenshots) {
	const browser = await chromium.launch({ executablePath });

	// check runs a check in a new window, and prints one line of JSON. The check fails if the browser
	// reports an error in a tab, such as a violation of the content security policy. The status of an
	// error page is none.
	async function check(name, options, run) {
		const context = await browser.newContext(options);
		context.setDefaultTimeout(15_000);
		const reported = [];
		context.on('console', message => message.type() === 'error' && reported.push(message.text()));
		context.on('weberror', thrown => reported.push(String(thrown.error())));
		let error;
		try {
			await run(await context.newPage());
			assert.deepEqual(reported.filter(text => !/the server responded with a status of 4\d\d/.test(text)), []);
		} catch (caught) {
			const tabs = context.pages().map(async tab => `The page was ${tab.url()}:\n${await tab.content().catch(String)}`);
			error = [caught.stack, ...await Promise.all(tabs)].join('\n');
		}
		console.log(JSON.stringify({ name, error }));
		await context.close();
	}

	// walk runs a check that gets look, with which it looks at each page that it passes and gives it a name.
	const walk = (name, run) => check(name, {}, page => run(page, (shown, tab = page) => lookAt(tab, join(screenshots, shown))));

	return { check, walk, close: () => browser.close() };
}

// lookAt keeps screenshots of a page at a desk and on a phone, in light and in dark. It fails if axe finds
// anything, or if a part of the page is out of sight. The walk goes on on the phone.
async function lookAt(page, path) {
	await page.waitForLoadState();
	await page.evaluate(axe);
	for (const [size, viewport] of Object.entries(sizes)) {
		await page.setViewportSize(viewport);
		for (const colorScheme of ['dark', 'light']) {
			await page.emulateMedia({ colorScheme });
			await page.screenshot({ path: `${path}-${size}-${colorScheme}.png`, fullPage: true });
			const { violations, incomplete } = await page.evaluate('axe.run()');
			assert.deepEqual([...violations, ...incomplete].map(({ id, nodes }) => `${id}: ${nodes.map(node => `${node.html} ${node.failureSummary ?? ''}`).join('; ')}`), []);
		}
		const [content, width] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
		assert.ok(content <= width, `the page is ${content} wide, and the window ${width}`);
	}
}
