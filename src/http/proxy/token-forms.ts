import { basicCredentials } from '../server/authenticate.ts'

/** How vendors' SDKs write a token that is not called Bearer: GitHub's, older OAuth ones, those of bots, Rails'. */
const OTHER_SCHEMES = /^(?:token|oauth|bot) +(?:token=)?"?(tr[tp]_\w+)"?$/i
/** Among the parameters of OAuth 1 (RFC 5849 3.5.1). */
const OAUTH1_TOKEN = /[\s,]oauth_token="?(tr[tp]_\w+)/i
/** Of an account, or for one service. */
const OWN_TOKEN = /^tr[tp]_\w+$/

/** The `Authorization` of a vendor's SDK that was given the account's token, as Bearer; any other value as it is. */
export function asBearer(authorization: string): string {
  if (/^bearer /i.test(authorization)) return authorization
  const basic = basicCredentials(authorization)
  const inBasic = [basic?.secret, basic?.id].find((each) => each !== undefined && OWN_TOKEN.test(each))
  const signed = /^oauth /i.test(authorization) ? OAUTH1_TOKEN.exec(authorization)?.[1] : undefined
  const token = OTHER_SCHEMES.exec(authorization)?.[1] ?? signed ?? inBasic
  return token === undefined ? authorization : `Bearer ${token}`
}
