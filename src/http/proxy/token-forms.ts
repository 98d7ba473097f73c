import { basicCredentials } from '../server/authenticate.ts'

/** How vendors' SDKs write a token that is not called Bearer: GitHub's, older OAuth ones, those of bots. */
const OTHER_SCHEMES = /^(?:token|oauth|bot) +(trt_\w+)$/i
const ACCESS_TOKEN = /^trt_\w+$/

/** The `Authorization` of a vendor's SDK that was given the account's token, as Bearer; any other value as it is. */
export function asBearer(authorization: string): string {
  if (/^bearer /i.test(authorization)) return authorization
  const basic = basicCredentials(authorization)
  const inBasic = [basic?.secret, basic?.id].find((each) => each !== undefined && ACCESS_TOKEN.test(each))
  const token = OTHER_SCHEMES.exec(authorization)?.[1] ?? inBasic
  return token === undefined ? authorization : `Bearer ${token}`
}
