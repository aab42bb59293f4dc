// Adds the access token TOKEN to all HTTP requests of the process, which the suite has no
// option for: "node --import=./token.mjs". The suite uses fetch, undici and http.
import { subscribe } from 'node:diagnostics_channel';

const authorization = `Bearer ${process.env.TOKEN}`;
subscribe('undici:request:create', ({ request }) => request.addHeader('authorization', authorization));
subscribe('http.client.request.created', ({ request }) => request.setHeader('authorization', authorization));
