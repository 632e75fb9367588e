// Replaces undici in the bundle: the client without fetch, web sockets, caches and mocks, which are more than half of
// undici's size and loading time. The build fails when the sources import a name that is missing here.

import connect from 'undici/lib/api/api-connect.js';
import send from 'undici/lib/api/api-request.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';

// undici's entry adds methods to the dispatchers in the same way. A proxy agent calls `connect`.
Object.assign(Dispatcher.prototype, { request: send, connect });

export { Agent, ProxyAgent };

/**
 * undici's `request` without its global dispatcher and its other spellings of an address.
 *
 * @param {URL} url
 * @param {{ dispatcher: import('undici').Dispatcher } & Omit<import('undici').Dispatcher.RequestOptions, 'origin' | 'path'>} options
 */
export function request(url, { dispatcher, ...options }) {
  return dispatcher.request({ ...options, origin: url.origin, path: `${url.pathname}${url.search}` });
}
