import { type Auth, typedFieldsOf } from '#kit/auth/auth.ts'
import { fillPlaceholders } from '../request/fill-placeholders.ts'

/**
 * Replaces `{field}` in an address. Addresses and hosts were normalized when they were typed; any other value is encoded, so
 * that it cannot end the host or the path that it stands in.
 */
export function fillTypedAddress(auth: Auth, url: string, values: Readonly<Record<string, string>>): string {
  const fields = typedFieldsOf(auth) ?? {}
  const encodedValues = Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const format = fields[name]?.format ?? 'text'
      return [name, format === 'text' ? encodeURIComponent(value) : value]
    }),
  )
  return fillPlaceholders(url, encodedValues)
}
