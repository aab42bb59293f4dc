// Runs @modelcontextprotocol/sdk, the first major version of the TypeScript SDK.
// It supports only versions with a handshake.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema, ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { answerQuestions, capabilities, drive, target } from './driver.mjs';
import { login } from './login.mjs';

await drive(async () => {
	const { url, events, command, dir, env } = target();
	const client = new Client({ name: 'interop-ts-v1', version: '1.32.2' }, { capabilities: capabilities(target()) });
	answerQuestions(client, target(), { elicit: ElicitRequestSchema, sample: CreateMessageRequestSchema, roots: ListRootsRequestSchema });

	const { provider, retry } = login(target());
	// The client keeps the version to itself but hands it to its transport, which
	// only the HTTP one stores. So it is read where the server says it.
	let negotiated, transport;
	const finish = answer => transport.finishAuth(answer.get('code'));
	await retry(() => {
		transport = events
			? new SSEClientTransport(new URL(events))
			: url
				? new StreamableHTTPClientTransport(new URL(url), { authProvider: provider })
				: new StdioClientTransport({ command: command[0], args: command.slice(1), cwd: dir, env });
		transport.setProtocolVersion = (set => version => {
			negotiated = version;
			set?.call(transport, version);
		})(transport.setProtocolVersion);
		return client.connect(transport);
	}, finish);
	return {
		client,
		version: () => negotiated,
		request: request => client.request(request, ResultSchema),
		callTool: (params, options) => retry(() => client.callTool(params, undefined, options), finish),
	};
});
