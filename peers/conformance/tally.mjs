// Counts the checks of one scenario: "node tally.mjs DIR" prints how many passed,
// failed and warned, and a note. It exits 1 unless some passed and none failed or
// warned. The suite itself is content with a scenario that checked nothing, for
// example one that does not exist at the version it was asked for.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const count = { SUCCESS: 0, FAILURE: 0, WARNING: 0 };
const notes = [];
for (const path of readdirSync(process.argv[2], { recursive: true })) {
	if (!path.endsWith('checks.json')) continue;
	for (const check of JSON.parse(readFileSync(join(process.argv[2], path), 'utf8'))) {
		if (check.status in count) count[check.status]++;
		if (check.status === 'FAILURE' || check.status === 'WARNING') notes.push(check.id);
	}
}
const { SUCCESS: pass, FAILURE: fail, WARNING: warn } = count;
if (pass === 0 && notes.length === 0) notes.push('nothing was checked');
console.log(pass, fail, warn, notes.join(', '));
process.exitCode = notes.length === 0 ? 0 : 1;
