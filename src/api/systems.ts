// Production and test are two systems with accounts and DOIs of their own (service.md, O1).
export const DEFAULT_BASE_URL = 'https://api.datacite.org';
export const TEST_BASE_URL = 'https://api.test.datacite.org';

/** Whether a base URL is the service's test system, which has its own rate limit. */
export function isTestSystem(baseUrl: URL): boolean {
  return baseUrl.href.startsWith(TEST_BASE_URL);
}
