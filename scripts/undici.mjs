// Replaces undici in the bundle: the client without fetch, web sockets, caches and mocks, which are more than half of
// undici's size and loading time. The build fails when the sources import a name that is missing here.

import api from 'undici/lib/api/index.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';

// undici's entry adds the request method to the dispatchers in the same way.
Object.assign(Dispatcher.prototype, api);

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
