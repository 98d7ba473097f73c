import type { Credential } from '#kit/auth/auth.ts'
import type { PlaceholderValues } from '#kit/endpoints/placeholders.ts'
import { basicHeader } from '../oauth2/client-auth.ts'
import { fillParameters } from '../request/fill-placeholders.ts'

export function basicOf(
  basic: { name: string; password: string } | undefined,
  values: PlaceholderValues,
): Record<string, string> {
  if (basic === undefined) return {}
  const { name = '', password = '' } = fillParameters(basic, values)
  return { authorization: basicHeader(name, password) }
}

/** What placeholders of a typed service stand for. A field that was left empty is an empty text. */
export function valuesOf({ fields, token, refreshToken }: Credential): PlaceholderValues {
  return { ...fields, token, refresh_token: refreshToken ?? '' }
}
