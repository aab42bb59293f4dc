// Counts the checks of a run: "node tally.mjs DIR TITLE [REQUIREMENTS]". It prints a
// line for each scenario that did not pass, then the totals, with how many of the required
// scenarios passed. It exits with 1 if a check warned, if a required scenario failed or did
// not run, or if there were no checks. It ignores other failures: the suite itself compares
// them with the expected ones.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const [folder, title, requirements] = process.argv.slice(2);

const sum = { SUCCESS: 0, FAILURE: 0, WARNING: 0 };
const failed = new Set();
const ran = new Set();
for (const path of readdirSync(folder, { recursive: true })) {
	if (!path.endsWith('checks.json')) continue;
	const scenario = /server-(.+?)-\d{4}-\d\d-\d\dT[^/]*\/checks\.json$/.exec('/' + path)?.[1] ?? path;
	const count = { SUCCESS: 0, FAILURE: 0, WARNING: 0 };
	const notes = [];
	for (const check of JSON.parse(readFileSync(join(folder, path), 'utf8'))) {
		if (check.status in count) count[check.status]++;
		if (check.status === 'FAILURE' || check.status === 'WARNING') notes.push(check.id);
	}
	for (const status in sum) sum[status] += count[status];
	ran.add(scenario);
	if (notes.length > 0) {
		failed.add(scenario);
		console.log(`  ${scenario}: ${count.SUCCESS} passed, ${count.FAILURE} failed, ${count.WARNING} warned: ${notes.join(', ')}`);
	}
}

// required returns the list "server" of a requirements file.
function required(path) {
	const lines = readFileSync(path, 'utf8').split('\n');
	const start = lines.indexOf('server:');
	const names = [];
	for (const line of lines.slice(start + 1)) {
		if (/^\S/.test(line)) break;
		const name = /^\s+-\s+(\S+)\s*$/.exec(line)?.[1];
		if (name) names.push(name);
	}
	return names;
}

let line = `${title}: ${ran.size} scenarios, ${sum.SUCCESS} checks passed, ${sum.FAILURE} failed, ${sum.WARNING} warned`;
let good = ran.size > 0 && sum.WARNING === 0 && sum.SUCCESS > 0;
if (requirements) {
	const names = required(requirements);
	const passed = names.filter(name => ran.has(name) && !failed.has(name));
	line += `; required ${passed.length}/${names.length}`;
	good &&= names.length > 0 && passed.length === names.length;
}
console.log(line);
process.exitCode = good ? 0 : 1;
