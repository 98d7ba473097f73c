import { UpstreamError } from './request/errors.ts'

/** The query parameters of the callback. */
export interface CallbackParameters {
  get(name: string): string | undefined
}

export type RawParameters = URLSearchParams | Readonly<Record<string, string | readonly string[] | undefined>>

/** Refuses repeated parameters, because servers disagree on which value counts. */
export function callbackParameters(raw: RawParameters): CallbackParameters {
  return {
    get(name) {
      const own = raw instanceof URLSearchParams ? raw.getAll(name) : Object.hasOwn(raw, name) ? raw[name] : undefined
      const values = [own ?? []].flat()
      if (values.length > 1)
        throw new UpstreamError('stop', `The callback has ${name} more than once`, { reason: 'parameter_repeated' })
      return values[0] === '' ? undefined : values[0]
    },
  }
}
