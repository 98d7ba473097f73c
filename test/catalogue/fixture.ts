import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Entry } from '#kit/entry/entry-schema.ts'
import type { LabEntry } from '../../lab/catalogue/entry.ts'
import { type CatalogueLab, startCatalogueLab } from '../../lab/catalogue/server.ts'
import { type App, makeApp, setKeys } from '../harness/app.ts'
import { LOOPBACK_TYPED } from '../harness/loopback.ts'
import { REDIRECT } from '../harness/sign-in.ts'
import { startTributary, type Tributary } from '../harness/start.ts'

/** A running service whose operator declared entries, the lab that plays them, and an app with keys for them. */
export interface EntryHarness {
  tributary: Tributary
  lab: CatalogueLab
  app: App
  stop: () => Promise<void>
}

export async function startEntryHarness(entries: ReadonlyMap<string, Entry>): Promise<EntryHarness> {
  const lab = await startCatalogueLab(Object.fromEntries(entries) as unknown as Record<string, LabEntry>)
  const folder = mkdtempSync(join(tmpdir(), 'tributary-entries-'))
  writeFileSync(join(folder, 'mine.services.json'), JSON.stringify({ services: Object.fromEntries(entries) }))
  const tributary = await startTributary({ ...LOOPBACK_TYPED, TRIBUTARY_CONNECTORS: folder })
  const app = await makeApp(tributary, { name: 'Shop App', redirectUris: [REDIRECT] })
  for (const service of entries.keys()) {
    const overrides = { base_url: lab.urlOf(service) }
    await setKeys(tributary, app, service, { key: 'lab-key', secret: 'lab-secret', overrides })
  }
  return {
    tributary,
    lab,
    app,
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
