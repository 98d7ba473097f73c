import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRegistry } from '#kit/connector/registry.ts'
import type { Entry } from '#kit/entry/entry-schema.ts'
import { expandEntry } from '#kit/entry/expand-entry.ts'
import type { LabEntry } from '../../lab/catalogue/entry.ts'
import { type CatalogueLab, startCatalogueLab } from '../../lab/catalogue/server.ts'
import { type App, makeApp, setKeys } from '../harness/app.ts'
import { LOOPBACK_TYPED } from '../harness/loopback.ts'
import { expireSignIns } from '../harness/maintenance.ts'
import { REDIRECT } from '../harness/sign-in.ts'
import { startTributary, type Tributary } from '../harness/start.ts'
import { openUpstream } from '../harness/upstream.ts'

/** A running service whose operator declared entries, the lab that plays them, and an app with keys for them. */
export interface EntryHarness {
  tributary: Tributary
  lab: CatalogueLab
  app: App
  /** Gives another app keys for the same services. */
  addApp: () => Promise<App>
  /** Another process on the same database and data, with the same entries. */
  startOther: () => Promise<Tributary>
  /** Runs the maintenance of sign-ins. */
  expireSignIns: () => Promise<void>
  stop: () => Promise<void>
}

export async function startEntryHarness(entries: ReadonlyMap<string, Entry>): Promise<EntryHarness> {
  const lab = await startCatalogueLab(Object.fromEntries(entries) as unknown as Record<string, LabEntry>)
  const folder = mkdtempSync(join(tmpdir(), 'tributary-entries-'))
  writeFileSync(join(folder, 'mine.services.json'), JSON.stringify({ services: Object.fromEntries(entries) }))
  const settings = { ...LOOPBACK_TYPED, TRIBUTARY_CONNECTORS: folder }
  const tributary = await startTributary(settings)
  const addApp = async () => {
    const app = await makeApp(tributary, { name: 'Shop App', redirectUris: [REDIRECT] })
    for (const service of entries.keys()) {
      const overrides = { base_url: lab.urlOf(service) }
      await setKeys(tributary, app, service, { key: 'lab-key', secret: 'lab-secret', overrides })
    }
    return app
  }
  return {
    tributary,
    lab,
    app: await addApp(),
    addApp,
    startOther: () =>
      startTributary({ ...settings, DATABASE_URL: tributary.databaseUrl, TRIBUTARY_DATA: tributary.dataDir }),
    expireSignIns: async () => {
      const { upstream, close } = openUpstream()
      const registry = createRegistry([...entries].map(([service, entry]) => expandEntry(service, entry)))
      const { clock } = upstream
      try {
        await expireSignIns({ ...tributary.store, clock, registry, upstream, config: { baseUrl: tributary.url } })
      } finally {
        await close()
      }
    },
    stop: async () => {
      try {
        await tributary.stop()
      } finally {
        await lab.close()
        rmSync(folder, { recursive: true })
      }
    },
  }
}
