/** A value beside key and secret that the vendor gives to an app, such as a developer token or the id of a configuration. */
export interface Setting {
  /** Used as `{setting.NAME}` in `api.headers`, `api.query` and the parameters of sign-in. */
  name: string
  /** The name that the vendor's console has for it. */
  title: string
  /** Keys without it are refused. Default: false. */
  required?: boolean
  /** Never shown again. Default: false. */
  secret?: boolean
}
