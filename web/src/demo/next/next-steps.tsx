import { CodeBlock } from '../../ui/code-block.tsx'
import type { Session } from '../demo-server.ts'
import './next.css'

/** How to go on: an app of one's own, the SDK, the reference. */
export function NextSteps({ session }: { session: Session }) {
  const app = [
    'tributary() { npm run --silent tributary -- "$@"; }',
    'tributary app create --name Notes --redirect-uri http://localhost:3000/back',
    'tributary keys demo CLIENT_ID   # the demo services, for your app',
  ].join('\n')
  const install = `npm install ${location.origin}/client.tgz`
  const code = [
    `import { createClient } from '@tributary-hub/client'`,
    '',
    'const client = createClient({',
    `  baseUrl: '${location.origin}',`,
    '  clientId: process.env.CLIENT_ID,',
    '  clientSecret: process.env.CLIENT_SECRET,',
    '})',
    "const { url } = await client.startConnect({ redirect_uri: 'http://localhost:3000/back' })",
  ].join('\n')
  return (
    <section className="next" id="use-it" aria-labelledby="use-it-heading">
      <h2 id="use-it-heading">Use it in your app</h2>
      <p className="soft">
        This page is an app like yours: its id is <code>{session.client_id}</code>, and it uses only the public API.
      </p>
      <ol className="next-steps">
        <li className="next-step">
          <h3>Create an app</h3>
          <CodeBlock text={app} label="The commands that create an app" />
        </li>
        <li className="next-step">
          <h3>Send people to connect</h3>
          <CodeBlock text={install} label="The command that installs the client" />
          <CodeBlock text={code} label="Code that begins a sign-in" />
        </li>
        <li className="next-step">
          <h3>Read what they have</h3>
          <p>
            Press “Show me the request” below any panel. The <a href="/docs">API reference</a> has every parameter, the{' '}
            <a href="/dashboard/sign-in?visit=demo">dashboard</a> shows apps, accounts and syncs.
          </p>
        </li>
      </ol>
    </section>
  )
}
