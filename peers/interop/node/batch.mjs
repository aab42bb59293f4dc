// Sends an array of calls in a session of 2025-03-26 by the transport of
// @modelcontextprotocol/sdk. Its client sends no batches.
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { drive, target } from './driver.mjs';

const version = '2025-03-26';

await drive(async () => {
	const transport = new StreamableHTTPClientTransport(new URL(target().url));
	const waiting = new Map(); // what takes the answer to each id
	transport.onmessage = message => {
		waiting.get(message.id)?.(message);
		waiting.delete(message.id);
	};
	const answerTo = id => new Promise(resolve => waiting.set(id, resolve));
	await transport.start();
	const welcome = answerTo('initialize');
	await transport.send({
		jsonrpc: '2.0', id: 'initialize', method: 'initialize',
		params: { protocolVersion: version, capabilities: {}, clientInfo: { name: 'interop-batch', version: '1' } },
	});
	const { result } = await welcome;
	transport.setProtocolVersion(result.protocolVersion);

	let last = 0;
	// batch calls tools, and returns the names of those whose calls were answered.
	const batch = async tools => {
		const calls = tools.map(name => ({
			jsonrpc: '2.0', id: ++last, method: 'tools/call', params: { name, arguments: {}, _meta: { progressToken: last } },
		}));
		const answers = calls.map(({ id }) => answerTo(id));
		await transport.send([{ jsonrpc: '2.0', method: 'notifications/initialized' }, ...calls]);
		const names = [];
		for (const answer of answers) {
			const { id, result } = await answer;
			if (Array.isArray(result?.content)) names.push(calls.find(call => call.id === id).params.name);
		}
		return { names };
	};
	return { client: { close: () => transport.close() }, version: () => result.protocolVersion, commands: { batch } };
});
