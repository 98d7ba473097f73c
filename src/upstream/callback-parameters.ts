import { UpstreamError } from './errors.ts'

/** The parameters with which a service sent a person back. */
export interface CallbackParameters {
  get(name: string): string | undefined
}

export type RawParameters = URLSearchParams | Readonly<Record<string, string | readonly string[] | undefined>>

/** One value for each name: a repeated one could be read differently by each reader, so it is refused. */
export function callbackParameters(raw: RawParameters): CallbackParameters {
  return {
    get(name) {
      const own = raw instanceof URLSearchParams ? raw.getAll(name) : Object.hasOwn(raw, name) ? raw[name] : undefined
      const values = [own ?? []].flat()
      if (values.length > 1)
        throw new UpstreamError('stop', `The service sent ${name} more than once`, { reason: 'parameter_repeated' })
      return values[0] === '' ? undefined : values[0]
    },
  }
}
