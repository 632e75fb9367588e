// undici's client, put together as undici's entry does it. The build fails where the sources import
// more.
import send from 'undici/lib/api/api-request.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';

Object.assign(Dispatcher.prototype, { request: send });

/** undici's own for a URL and a dispatcher. */
export const request = (
  /** @type {URL} */ { origin, pathname, search },
  { dispatcher, ...options },
) => dispatcher.request({ ...options, origin, path: `${pathname}${search}` });
export { Agent };
