/** Asks the person for the password or a passkey again. Resolves to whether they gave it. */
type Ask = () => Promise<boolean>

let ask: Ask | undefined

/** Registers who asks; returns a function that ends it. */
export function onConfirmIdentity(asks: Ask): () => void {
  ask = asks
  return () => {
    if (ask === asks) ask = undefined
  }
}

/** Sends a request; when it requires a recent sign-in, asks for it and sends the request once more. */
export async function sendConfirmed(send: () => Promise<Response>): Promise<Response> {
  const response = await send()
  if (response.status !== 403 || ask === undefined || !(await isSignInAgain(response))) return response
  return (await ask()) ? send() : response
}

async function isSignInAgain(response: Response): Promise<boolean> {
  try {
    return ((await response.clone().json()) as { reason?: string }).reason === 'sign_in_again'
  } catch {
    // Not one of our refusals, which are JSON.
    return false
  }
}
