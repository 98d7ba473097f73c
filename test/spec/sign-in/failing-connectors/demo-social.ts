import { demoSocial } from '#connectors/demo-social/connector.ts'
import { self } from '#kit/auth/self.ts'

/** A connector with a mistake: the id of the person is a number. Ben's record makes it throw. */
const numbered = self<{ username: string }>('/me', ({ username }) => {
  if (username === 'ben') throw new TypeError('a mistake in the connector')
  return { id: 42 as unknown as string }
})

export default { ...demoSocial, docs: 'https://tributary.test/lab', endpoints: {}, self: numbered }
