// Runs @modelcontextprotocol/client, the second major version of the TypeScript SDK.
// The mode selects the era: "legacy" sends initialize, "auto" tries server/discover
// first, and a version uses the modern protocol without a fallback.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { answerQuestions, capabilities, drive, naming, target } from './driver.mjs';
import { login } from './login.mjs';

// anything is a schema of results that every value fits.
const anything = { '~standard': { version: 1, vendor: 'interop', validate: value => ({ value }) } };

await drive(async () => {
	const { mode, url, command, dir, env, extension } = target();
	const client = new Client(
		{ name: 'interop-ts-v2', version: '2.4.0' },
		{ versionNegotiation: { mode: mode === 'auto' || mode === 'legacy' ? mode : { pin: mode } }, capabilities: capabilities(target()) },
	);
	answerQuestions(client, target(), { elicit: 'elicitation/create', sample: 'sampling/createMessage', roots: 'roots/list' });
	const { provider, retry } = login(target());
	let transport;
	const finish = answer => transport.finishAuth(answer);
	await retry(() => {
		transport = url
			? new StreamableHTTPClientTransport(new URL(url), { authProvider: provider, fetch: extension ? naming : undefined })
			: new StdioClientTransport({ command: command[0], args: command.slice(1), cwd: dir, env });
		return client.connect(transport);
	}, finish);
	return {
		client,
		version: () => client.getNegotiatedProtocolVersion(),
		callTool: (params, options) => retry(() => client.callTool(params, options), finish),
		request: request => client.request(request, anything),
		commands: {
			async listen(filter) {
				const { honoredFilter } = await client.listen(filter);
				return { value: honoredFilter };
			},
		},
		watch: uri =>
			mode === 'legacy' ? client.subscribeResource({ uri }) : client.listen({ toolsListChanged: true, resourceSubscriptions: [uri] }),
	};
});
