/**
 * Something that a sign-in tells about the person's place at the service (an address, a company, a region) and that later calls
 * need. Kept sealed with the credential; used as `{fact.NAME}` in paths, headers and parameters, or as the address of the API
 * (`api.baseUrlFrom`).
 */
export type FactSource = { from: 'token'; path: string } | { from: 'callback'; name: string }

export type Facts = Record<string, FactSource>

/** A field of the token response, by its path: `instance_url`, `team.id`. Read again from the response to each refresh. */
export function fromToken(path: string): FactSource {
  return { from: 'token', path }
}

/** A parameter of the callback. The browser carries it, so the person may change it: the service must check it itself. */
export function fromCallback(name: string): FactSource {
  return { from: 'callback', name }
}
