import { type Endpoint, type EndpointInput, endpoint } from '#kit/endpoints/endpoint.ts'
import { numberPages } from '#kit/endpoints/pages.ts'
import { type Fixture, type Note, note, notes, paged } from '../engine-fixture.ts'

/** A list at the scripted service, and what is in it. */
export interface Folder {
  id: string
  mark: string
  entries: Note[]
}

type Listing = { notes: Note[] }

/** An endpoint that is read for each item of `list`; its records name their parent. */
export function entries(path: string, input: Partial<EndpointInput<Listing, Note, Note>> = {}): Endpoint {
  return endpoint<Listing, Note, Note>({
    each: 'list',
    path: `${path}/{parent}/entries`,
    items: (body, { parent }) =>
      body.notes.map((each) => ({ ...each, id: `${parent.id}:${each.id}`, folder: parent.id })),
    kind: note,
    types: ['statuses'],
    every: '10m',
    class: 'core',
    pages: numberPages({ param: 'page' }),
    ...input,
  })
}

/** A service whose lists the test changes. */
export async function openFolders(
  fixture: Fixture,
  name: string,
  folders: Folder[],
  input: Partial<EndpointInput<Listing, Note, Note>> = {},
) {
  const holder = { folders }
  const path = `/${name}`
  const connector = await fixture.use(name, {
    // Before its parent by name: the order in which they run must not depend on that.
    entries: entries(path, input),
    list: notes(path, { deletes: 'all', pages: numberPages({ param: 'page' }) }),
  })
  fixture.service.on(
    path,
    paged(() => holder.folders.map(({ id, mark }) => ({ id, mark, at: 1_700_000_000_000 })), 10),
  )
  const script = (id: string) =>
    fixture.service.on(`${path}/${id}/entries`, (request) => {
      const folder = holder.folders.find((each) => each.id === id)
      return folder === undefined ? { status: 404 } : paged(() => folder.entries, 5)(request)
    })
  for (const { id } of folders) script(id)
  const profile = await fixture.connect(connector)
  return {
    holder,
    profile,
    connector,
    script,
    /** Native ids of what is stored. */
    ids: async () => [...(await fixture.stored(profile, 'entries')).keys()].sort(),
    expected: () => holder.folders.flatMap((folder) => folder.entries.map(({ id }) => `${folder.id}:${id}`)).sort(),
    asked: (id: string) => fixture.service.requestsTo(`${path}/${id}/entries`).length,
    /** Runs until nothing is due. */
    settle: async () => {
      for (let turn = 0; turn < 200; turn += 1) {
        await fixture.run(profile)
        const states = await Promise.all(['list', 'entries'].map((each) => fixture.progress(profile, each)))
        if (states.every(({ state, next_run }) => state !== 'running' && next_run > fixture.clock.now())) return
      }
      throw new Error('the sync does not settle')
    },
  }
}

export function folder(id: string, count: number, mark = '1'): Folder {
  return {
    id,
    mark,
    entries: Array.from({ length: count }, (_, i) => ({
      id: String(i + 1),
      at: 1_700_000_000_000 - i * 1000,
      text: `entry ${i + 1} of ${id}`,
    })),
  }
}
