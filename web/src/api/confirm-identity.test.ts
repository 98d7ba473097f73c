import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { onConfirmIdentity, sendConfirmed } from './confirm-identity.ts'

const refusal = (reason: string) => () => Response.json({ reason }, { status: 403 })

/** Answers requests one after the other, and counts them. */
function serverOf(...answers: (() => Response)[]) {
  const server = { sent: 0, send: async () => answers[server.sent++]!() }
  return server
}

suite('a request that requires a recent sign-in', () => {
  test('is sent again once the person confirmed', async () => {
    const stop = onConfirmIdentity(async () => true)
    const server = serverOf(refusal('sign_in_again'), () => new Response('done'))
    assert.equal(await (await sendConfirmed(server.send)).text(), 'done')
    stop()
  })

  test('is not sent again if they did not, and its refusal can still be read', async () => {
    const stop = onConfirmIdentity(async () => false)
    const server = serverOf(refusal('sign_in_again'))
    assert.deepEqual(await (await sendConfirmed(server.send)).json(), { reason: 'sign_in_again' })
    assert.equal(server.sent, 1)
    stop()
  })

  test('asks for nothing after another refusal, or after one that is not JSON', async () => {
    const stop = onConfirmIdentity(async () => assert.fail('asked'))
    for (const answer of [refusal('forbidden'), () => new Response('<html>', { status: 403 })]) {
      const server = serverOf(answer)
      assert.equal((await sendConfirmed(server.send)).status, 403)
      assert.equal(server.sent, 1)
    }
    stop()
  })

  test('is refused where nobody asks any more', async () => {
    onConfirmIdentity(async () => true)()
    assert.equal((await sendConfirmed(serverOf(refusal('sign_in_again')).send)).status, 403)
  })
})
