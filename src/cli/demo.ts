import { DEMO_START, ensureDemoApp, readDemoApp } from '#flows/operations/demo.ts'
import { command } from './command.ts'
import { ADDRESS_OPTIONS } from './serve.ts'

export const demo = command({
  name: 'demo',
  summary: 'Start the service with a demo app and simulated services.',
  options: ADDRESS_OPTIONS,
  run: async ({ out, config, program, start, startLab, untilSignal }) => {
    const running = await start({ serve: true, demo: true })
    const url = running.url!
    const app = readDemoApp(config().dataDir, url)
    const lab = await startLab(url)
    await ensureDemoApp(running.store, app, lab.services)
    const connect = `${url}${DEMO_START}`
    out.result(
      {
        url,
        client_id: app.clientId,
        client_secret: app.secret,
        redirect_uri: app.redirectUri,
        connect_url: connect,
        admin_token_file: running.adminTokenFile,
        data_folder: config().dataDir,
      },
      () => [
        '',
        `  Tributary is running   ${out.bold(url)}   (API reference: ${url}/docs)`,
        '',
        '  1. Connect a demo profile in the browser:',
        `     ${out.bold(connect)}`,
        '  2. The page you return to shows a curl command that reads the items.',
        '',
        `  Demo app               client_id      ${app.clientId}`,
        `                         client_secret  ${app.secret}`,
        `  Admin token            ${running.adminTokenFile ?? 'TRIBUTARY_ADMIN_TOKEN'}`,
        `  Data folder            ${config().dataDir}`,
        '',
        '  In another terminal:',
        `     curl ${url}/readyz`,
        `     ${program} app show ${app.clientId}`,
        '',
        out.dim('  Ctrl-C stops everything, including the database.'),
        '',
      ],
    )
    await untilSignal
    await lab.stop()
    await running.stop()
  },
})
