/** Whether an account id is that of a member (provider), which has no records of its own (service.md, A13). */
export function isMember(account: string): boolean {
  return !account.includes('.');
}
