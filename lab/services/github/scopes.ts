/** Scope descriptions. Each continues the sentence "The app will be able to". */
export const scopeDescriptions: Record<string, string> = {
  repo: 'read and write your repositories, private ones too',
  public_repo: 'read and write your public repositories',
  'repo:status': 'see commit statuses',
  user: 'read and write your profile',
  'read:user': 'read your profile',
  'user:email': 'see your e-mail addresses',
  'user:follow': 'follow and unfollow people',
  gist: 'read and write your gists',
  notifications: 'read your notifications',
  'read:org': 'see your organizations',
  delete_repo: 'delete repositories',
}

const implied: Record<string, string[]> = {
  repo: ['public_repo', 'repo:status'],
  user: ['read:user', 'user:email', 'user:follow'],
}

/** Drops unknown scopes and those implied by a wider one, as the vendor does. */
export function normalizedScopes(requested: string): string[] {
  const known = [...new Set(requested.split(/[ ,]+/))].filter((name) => Object.hasOwn(scopeDescriptions, name))
  const covered = new Set(known.flatMap((name) => implied[name] ?? []))
  return known.filter((name) => !covered.has(name))
}

/** Whether any of the required scopes was granted, directly or through a wider scope. */
export const grants = (granted: readonly string[], required: readonly string[]): boolean =>
  required.some((name) => granted.some((one) => one === name || (implied[one] ?? []).includes(name)))
