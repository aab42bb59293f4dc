// The common part of both TypeScript clients: a loop that reads one JSON command per
// line from stdin, runs it on the client, and writes one JSON answer per line to
// stdout. node_client_test.go is the other end. When stdin ends, the connection is
// closed and the process exits.
//
// Usage: node v2.mjs '{"mode":"auto","url":"http://…"}'
//        node v1.mjs '{"command":["app","start","demo"],"dir":"/tmp","env":{}}'
import { createInterface } from 'node:readline';

export function target() {
	return JSON.parse(process.argv[2]);
}

// The client declares capabilities for questions if the target has answers, and the
// extension of the target.
export function capabilities({ answers, extension }) {
	return {
		...(answers && { elicitation: {}, sampling: {}, roots: {} }),
		...(extension && { extensions: { [extension]: {} } }),
	};
}

// naming is a fetch that adds the header Mcp-Name to requests of events/poll, a method that
// no SDK knows.
export function naming(url, init) {
	const { method, params } = typeof init?.body === 'string' ? JSON.parse(init.body) : {};
	if (method !== 'events/poll') return fetch(url, init);
	const headers = new Headers(init.headers);
	headers.set('Mcp-Name', params.name);
	return fetch(url, { ...init, headers });
}

// answerQuestions makes the client answer the server's questions with the answers of
// the target. In the first major version, schemas are used instead of method names.
export function answerQuestions(client, { answers }, { elicit, sample, roots }) {
	if (!answers) return;
	client.setRequestHandler(elicit, async () => ({ action: 'accept', content: answers.form }));
	client.setRequestHandler(sample, async () => ({ role: 'assistant', model: 'interop', content: { type: 'text', text: answers.text } }));
	client.setRequestHandler(roots, async () => ({ roots: [{ uri: answers.root }] }));
}

function answer(value) {
	process.stdout.write(JSON.stringify(value) + '\n');
}

// JSON-RPC errors have a numeric code, errors of the library itself don't. The test
// must distinguish them.
function failure(error) {
	return { error: { code: Number.isInteger(error?.code) ? error.code : 0, message: String(error?.message ?? error) } };
}

export async function drive(connect) {
	const received = [];
	let connection;
	try {
		connection = await connect();
	} catch (error) {
		answer(failure(error));
		process.exit(1);
	}
	const { client, version } = connection;
	client.fallbackNotificationHandler = async ({ method, params }) => {
		received.push({ method, params });
	};
	answer({ version: version() });

	// names walks a list's pages and returns what name gives of each item.
	const names = async (ask, name) => {
		const found = [];
		let cursor;
		do {
			const page = await ask(cursor ? { cursor } : undefined);
			found.push(...name(page));
			cursor = page.nextCursor;
		} while (cursor);
		return { names: found };
	};

	let started; // a call that has not been awaited
	const commands = {
		listTools: () => names(p => client.listTools(p), page => page.tools.map(tool => tool.name)),
		listResources: () => names(p => client.listResources(p), page => page.resources.map(resource => resource.uri)),
		listTemplates: () => names(p => client.listResourceTemplates(p), page => page.resourceTemplates.map(template => template.uriTemplate)),
		listPrompts: () => names(p => client.listPrompts(p), page => page.prompts.map(prompt => prompt.name)),
		async read(params) {
			const { contents } = await client.readResource(params);
			return { names: contents.map(({ text }) => text) };
		},
		async get(params) {
			const { messages } = await client.getPrompt(params);
			return { names: messages.filter(({ content }) => content.type === 'text').map(({ role, content }) => `${role}: ${content.text}`) };
		},
		async complete(params) {
			const { completion } = await client.complete(params);
			return { names: completion.values };
		},
		async call({ name, arguments: args, progress }) {
			const options = progress
				? { onprogress: params => received.push({ method: 'notifications/progress', params }) }
				: undefined;
			const result = await connection.callTool({ name, arguments: args }, options);
			const texts = result.content.filter(block => block.type === 'text').map(block => block.text);
			return { result: { texts, structured: result.structuredContent, isError: result.isError === true } };
		},
		// start starts a call, and cancel cancels it.
		async start({ name, arguments: args }) {
			const controller = new AbortController();
			const ended = connection.callTool({ name, arguments: args }, { signal: controller.signal }).then(() => false, () => true);
			started = { controller, ended };
			return {};
		},
		async cancel() {
			started.controller.abort('the user has canceled it');
			return { value: await started.ended };
		},
		// end ends the session.
		async end() {
			await client.transport.terminateSession();
			return {};
		},
		async watch({ uri }) {
			await (connection.watch ?? (u => client.subscribeResource({ uri: u })))(uri);
			return {};
		},
		// request sends a request whose method the SDK need not know.
		async request(request) {
			return { value: await connection.request(request) };
		},
		async notifications() {
			return { notifications: received };
		},
		...connection.commands,
	};

	for await (const line of createInterface({ input: process.stdin })) {
		const command = JSON.parse(line);
		try {
			answer(await commands[command.do](command.with ?? {}));
		} catch (error) {
			answer(failure(error));
		}
	}
	await client.close();
}
