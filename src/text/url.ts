/** At-signs: plain, full-width and small, percent-encoded any number of times. */
const AT_SIGN = /[@\uff20\ufe6b]|%(?:25)*(?:40|ef(?:%(?:25)*(?:bc%(?:25)*a0|b9%(?:25)*ab)))/i;

/** Whether a text may contain credentials: an at-sign in any spelling. Never quote such a text. */
function mayHoldCredentials(text: string): boolean {
  return AT_SIGN.test(text.replace(/[\s\p{C}]/gu, ''));
}

/** A base URL safe to show: without credentials, which handwritten settings may contain. */
export function withoutCredentials(text: string): string {
  return mayHoldCredentials(text) ? text.replace(/.*[@%\uff20\ufe6b]/su, '***@') : text;
}

/** A base URL: https, or http on a loopback host. Credentials are refused, and never quoted. */
export function parseBaseUrl(text: string): URL {
  if (mayHoldCredentials(text)) {
    throw new Error(
      'a base URL must not contain credentials or an @:' +
        ' set DOI_CLI_REPOSITORY and DOI_CLI_PASSWORD',
    );
  }
  if (!URL.canParse(text))
    throw new Error(`'${text}' is not a URL such as https://api.datacite.org`);
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw new Error(`'${text}' must be https (http is for loopback hosts only)`);
  }
  if (url.search !== '' || url.hash !== '')
    throw new Error(`'${text}' must not have a query or a fragment`);
  return url;
}

/** The base URL of the API: a {@link parseBaseUrl} that is no page of DataCite or of its API. */
export function parseApiUrl(text: string): URL {
  const url = parseBaseUrl(text);
  const isPage = !/^api\./.test(url.hostname) || url.pathname !== '/';
  if (/(^|\.)datacite\.org$/.test(url.hostname) && isPage)
    throw new Error(`'${text}' is not the root of the API, such as https://api.datacite.org`);
  return url;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
