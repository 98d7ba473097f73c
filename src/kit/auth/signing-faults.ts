import { placeholdersIn } from '../endpoints/placeholders.ts'
import type { Auth } from './auth.ts'
import type { SelfReader } from './self.ts'
import type { Typed } from './typed.ts'
import { SIGNING_WORDS } from './typed-signing.ts'

type Report = (field: string, expected: string) => void

/** Finds what a typed key could never sign, and keys that would speak for anybody. */
export function checkTypedSigning(
  { auth, self }: { auth: Auth; self: Pick<SelfReader, 'from'> },
  report: Report,
): void {
  if (auth.kind !== 'typed' || (auth.jwt === undefined && auth.sign === undefined)) return
  // Such a key may be made to act for others, as service accounts are, so what it says about a person finds no account.
  if (self.from !== 'key') report('self', 'must come from selfFromKey(): a key that signs names nobody')
  for (const name of Object.keys(auth.fields))
    if ((SIGNING_WORDS.all as readonly string[]).includes(name))
      report(`auth.fields.${name}`, 'must have another name, which does not stand for a part of a request')
  checkJwt(auth, report)
  checkSignature(auth, report)
}

function checkJwt({ fields, placement, exchange, jwt }: Typed, report: Report): void {
  if (jwt === undefined) return
  const names = Object.keys(fields)
  checkTexts('auth.jwt.header', jwt.header, names, report)
  checkTexts('auth.jwt.claims', jwt.claims, names, report)
  requireSecret('auth.jwt.key', jwt.key, fields, report)
  const [where, texts, word]: [string, unknown, string] =
    exchange === undefined ? ['auth.placement', placement, '{token}'] : ['auth.exchange', exchange, '{jwt}']
  if (!JSON.stringify(texts).includes(word)) report(where, `must have ${word}`)
}

function checkSignature({ fields, sign }: Typed, report: Report): void {
  if (sign === undefined) return
  const names = Object.keys(fields)
  if (sign.kind === 'hmac') {
    requireSecret('auth.sign.key', sign.key, fields, report)
    checkTexts('auth.sign', { over: sign.over }, [...names, ...SIGNING_WORDS.hmac], report)
    checkTexts('auth.sign.headers', sign.headers, [...names, ...SIGNING_WORDS.headers], report)
    if (!Object.values(sign.headers).some((text) => text.includes('{signature}')))
      report('auth.sign.headers', 'must have {signature}')
    return
  }
  const { id, session = '', region } = sign
  requireSecret('auth.sign.secret', sign.secret, fields, report)
  checkTexts('auth.sign', { id, session, region }, names, report)
}

function requireSecret(field: string, text: string, fields: Typed['fields'], report: Report): void {
  const [, name = ''] = /^\{(\w+)\}$/.exec(text) ?? []
  if (fields[name]?.secret !== true) report(field, 'must be one secret field, such as {key}')
}

function checkTexts(
  field: string,
  texts: Readonly<Record<string, string>> | undefined,
  known: readonly string[],
  report: Report,
): void {
  for (const [name, text] of Object.entries(texts ?? {}))
    for (const placeholder of placeholdersIn(text))
      if (!known.includes(placeholder))
        report(`${field}.${name}`, `must not have {${placeholder}}, which nothing fills there`)
}
