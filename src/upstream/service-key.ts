/** An app's own key for one service, unsealed. */
export interface ServiceKey {
  key: string
  /** Empty for public clients; PEM for RSA-SHA1; a private JWK for `private_key_jwt`. */
  secret: string
  /** Replaces the connector's default scope. */
  scope?: string | undefined
  /** Addresses that replace the connector's. */
  overrides: Readonly<Record<string, string>>
}
