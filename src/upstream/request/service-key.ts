/** An app's client id and secret for one service, opened. */
export interface ServiceKey {
  key: string
  /** Empty for public clients; PEM for RSA-SHA1; a private JWK for `private_key_jwt`. */
  secret: string
  /** Replaces the connector's default scope. */
  scope?: string | undefined
  /** Values of the connector's settings. */
  settings?: Readonly<Record<string, string>> | undefined
  /** Replace addresses of the connector. */
  overrides: Readonly<Record<string, string>>
}
