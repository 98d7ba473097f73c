import { call, type ResponseOf } from '@tributary-hub/client/core.ts'
import { toBytes, toText } from './base64url.ts'
import { asOperator } from './core.ts'

type Creation = ResponseOf<'POST /dashboard/passkeys/options'>

export const canUsePasskeys = (): boolean => 'PublicKeyCredential' in globalThis

/** Lets the browser create a passkey. Throws when the person cancels it. */
export async function createPasskey(options: Creation) {
  const made = await navigator.credentials.create({
    publicKey: {
      challenge: toBytes(options.challenge),
      rp: options.rp,
      user: { id: toBytes(options.user.id), name: options.user.name, displayName: options.user.name },
      pubKeyCredParams: options.algorithms.map((alg) => ({ type: 'public-key', alg })),
      excludeCredentials: options.exclude.map((id) => ({ type: 'public-key', id: toBytes(id) })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
    },
  })
  if (!(made instanceof PublicKeyCredential)) throw new Error('No passkey was created.')
  const response = made.response as AuthenticatorAttestationResponse
  const publicKey = response.getPublicKey()
  if (publicKey === null) throw new Error('The authenticator uses a kind of key that is not accepted.')
  return {
    id: toText(made.rawId),
    client_data_json: toText(response.clientDataJSON),
    authenticator_data: toText(response.getAuthenticatorData()),
    public_key: toText(publicKey),
  }
}

/** Signs in with a passkey. Throws when the person cancels it. */
export async function signInWithPasskey(): Promise<void> {
  const { challenge, rp_id: rpId } = await call(asOperator, 'POST /dashboard/session/challenge')
  const given = await navigator.credentials.get({
    publicKey: { challenge: toBytes(challenge), rpId, userVerification: 'required' },
  })
  if (!(given instanceof PublicKeyCredential)) throw new Error('No passkey was given.')
  const response = given.response as AuthenticatorAssertionResponse
  await call(asOperator, 'POST /dashboard/session/passkey', {
    body: {
      id: toText(given.rawId),
      client_data_json: toText(response.clientDataJSON),
      authenticator_data: toText(response.authenticatorData),
      signature: toText(response.signature),
    },
  })
}
