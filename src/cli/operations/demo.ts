import { DEMO_PAGE } from '#flows/operations/demo.ts'
import { isLoopbackAddress } from '#platform/formats/loopback.ts'
import { command } from '../command.ts'
import { describeFirstLink, firstOperatorLink } from '../operators/first-operator.ts'
import { ADDRESS_OPTIONS } from './serve.ts'

/** Said where the demo listens on more than this machine. */
function exposure(host: string): string[] {
  if (isLoopbackAddress(host)) return []
  return [
    '',
    `Warning: others can reach this demo, because it listens on ${host}. The buttons that change the demo services`,
    'are off, and destinations on this machine are refused. HOST=127.0.0.1 makes it private again.',
  ]
}

export const demo = command({
  name: 'demo',
  summary: 'Start the service with a demo app and simulated services.',
  options: ADDRESS_OPTIONS,
  run: async ({ out, config, program, start, untilSignal }) => {
    const running = await start({ serve: true, demo: true })
    const url = running.url!
    const app = running.demoApp!
    const page = `${url}${DEMO_PAGE}`
    const first = await firstOperatorLink(running)
    out.result(
      {
        url,
        demo_url: page,
        client_id: app.clientId,
        client_secret: app.secret,
        redirect_uri: app.redirectUri,
        admin_token_file: running.adminTokenFile,
        data_folder: config().dataDir,
        operator_link: first?.url,
      },
      () => [
        '',
        `  Open the demo          ${out.bold(page)}`,
        '',
        '  One click connects Ada at three simulated services. The page shows what arrives, and commands that read it.',
        ...exposure(config().host).map((line) => `  ${line}`),
        '',
        `  Tributary is running   ${url}   (API reference: ${url}/docs)`,
        `  Demo app               client_id      ${app.clientId}`,
        `                         client_secret  ${app.secret}`,
        `  Admin token            ${running.adminTokenFile ?? 'TRIBUTARY_ADMIN_TOKEN'}`,
        `  Data folder            ${config().dataDir}`,
        '',
        ...describeFirstLink(first?.url).map((line) => `  ${line}`),
        '',
        '  In another terminal:',
        `     curl -s -u ${app.clientId}:${app.secret} '${url}/accounts' | jq`,
        `     ${program} demo control week-later`,
        '  Your own app may use the demo services too:',
        `     ${program} app create --name Notes --redirect-uri http://localhost:3000/back`,
        `     ${program} keys demo CLIENT_ID`,
        '',
        out.dim('  Ctrl-C stops everything, including the database. The next start goes on where this one ended.'),
        '',
      ],
    )
    await untilSignal
    await running.stop()
  },
})
