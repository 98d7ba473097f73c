/** The query of an address: texts by their names. */
export type Texts = Record<string, string | undefined>

/** Plain texts instead of the router's JSON: the address reads as any other. */
export const parseSearch = (text: string): Texts => Object.fromEntries(new URLSearchParams(text))

/** What is empty is left out. */
export const stringifySearch = (search: Record<string, unknown>): string => {
  const pairs = Object.entries(search).filter((pair): pair is [string, string] => isGiven(pair[1]))
  const text = new URLSearchParams(pairs).toString()
  return text === '' ? '' : `?${text}`
}

const isGiven = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** What a parameter may be: any text, or one of a few. */
type Parameter = (text: string) => string | undefined
type Found<P extends Record<string, Parameter>> = { [N in keyof P]?: ReturnType<P[N]> | undefined }

const text = (given: string): string | undefined => given
const oneOf =
  <const T extends string>(...known: T[]) =>
  (given: string): T | undefined =>
    known.find((each) => each === given)

/** Reads the parameters of a page from its address. What a parameter cannot be is as if it were not given. */
const parameters =
  <P extends Record<string, Parameter>>(each: P) =>
  (given: Record<string, unknown>): Found<P> =>
    Object.fromEntries(
      Object.entries(each).flatMap(([name, read]) => {
        const value = given[name]
        const found = isGiven(value) ? read(value) : undefined
        return found === undefined ? [] : [[name, found]]
      }),
    ) as Found<P>

/** For pages whose parameters the API names. */
const anyTexts = (given: Record<string, unknown>): Texts =>
  Object.fromEntries(Object.entries(given).filter((pair): pair is [string, string] => isGiven(pair[1])))

/** Of every page in the frame: the app in view. */
export const frameSearch = parameters({ app: text })
export const overviewSearch = parameters({ scope: oneOf('app'), period: oneOf('7d') })
export const appSearch = parameters({
  tab: oneOf('keys', 'settings', 'secrets', 'look', 'delete'),
  service: text,
  q: text,
  // A sign-in that an operator tries returns with these.
  code: text,
  state: text,
  iss: text,
  error: text,
  error_description: text,
})
export const accountsSearch = parameters({
  q: text,
  service: text,
  state: text,
  reason: text,
  failing: oneOf('true'),
  cursor: text,
  erased: text,
})
export const faultsSearch = parameters({ quarantine_after: text, faults_after: text })
/** Besides the parameters of the requests: `account`, `by` and `view`. */
export const itemsSearch = anyTexts
/** Besides the options of the destination: `kind`, `name`, `filter`, `schedule` and `place`. */
export const newDestinationSearch = anyTexts
export const destinationSearch = parameters({
  tab: oneOf('now', 'deliveries', 'dead', 'repair', 'settings'),
  before: text,
  span: oneOf('hour', 'day', 'week'),
})
export const servicesSearch = parameters({ q: text, type: text, keys: oneOf('yes', 'no') })
export const logSearch = parameters({
  kind: text,
  outcome: text,
  q: text,
  service: text,
  reason: text,
  account: text,
  live: oneOf('1'),
})
export const auditSearch = parameters({
  of: text,
  actor: text,
  action: text,
  account: text,
  from: text,
  to: text,
})
/** Where to go after the sign-in. */
export const signInSearch = parameters({ next: text, visit: oneOf('demo') })
