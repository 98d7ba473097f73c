import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { suite, test } from 'node:test'
import { ignoredErrors } from './harness/source/ignored-errors.ts'
import { MAY_IMPORT, MAY_IMPORT_FLOWS } from './harness/source/plan.ts'
import { takeApart } from './harness/source/source-text.ts'
import { startsPerTest, unexplainedTimers } from './harness/source/test-costs.ts'

const MAX_FILES_IN_FOLDER = 30
/** Wiring may import everything. */
const WIRING = ['boot', 'main.ts']
const DYNAMIC_IMPORTS = [
  'src/boot/prepare-commands.ts',
  'src/boot/app.ts',
  'src/boot/registry.ts',
  'src/boot/worker-main.ts',
]
const MAX_LINES = 400
const DESTINATIONS = 'src/destinations/'
const STORE_DRIVERS = /^(pg|pg-copy-streams)$/
/** Of databases and brokers that only destinations talk to. */
const DRIVERS = /^(mysql2|@nats-io)(\/|$)/
const SQL =
  /^.(\s*(select\s+(.+\sfrom\s|\d|[\w.]+\()|insert\s+(ignore\s+)?into\s|delete\s+from\s|update\s+\S+\s+set\s|with\s+\w+\s+as\s*\(|(create|drop|alter)\s+(or\s+replace\s+)?(table|index|view|schema)\s))/is
/** Turns off the types of the pages' router, or reads everything again after a change. */
const UNTYPED_OR_UNNAMED = /\bas never\b|\bstrict: false\b|\b(?:invalidate|refetch|reset)Queries\((?!\{\s*queryKey)/
/** Through these everybody else reads items: they know of shards and of copies that a merge hides. */
const ITEM_GATE = [
  'change-keys',
  'changed-copies',
  'changes',
  'copies',
  'count-shown',
  'hidden-copies',
  'items-by-id',
  'list-items',
  'predicates',
  'read-shards',
  'shown-items',
].map((name) => `src/store/items/${name}.ts`)
/** What only the gate imports. */
const INSIDE_GATE = /\/(?:hidden-copies|read-shards|shown-items)\.ts$/
/** These write items, or read what one profile stores in order to write: a copy is one more item to them. */
const ITEM_WRITERS = [
  'app-remains',
  'app-usage',
  'cluster/is-sharded',
  'cluster/placement',
  'items/child-items',
  'items/items',
  'items/old-tombstones',
  'items/own-copies',
  'items/reread',
  'items/statistics',
  'push/destination-cursors',
  'sync/child-checkpoints',
  'sync/marked-items',
  'sync/hook-records',
].map((name) => `src/store/${name}.ts`)
/** In a statement. Names of statements, like `item-erase`, are others. */
const ITEM_TABLE = /(?<![\w.])item(?:_tombstone)?(?![\w-])/
/** Kill processes at a moment that chance chooses: what they assert holds at every moment. */
const KILL_BY_CHANCE = [
  'test/faults/kill-under-load.test.ts',
  'test/faults/push-backfill.test.ts',
  'test/embedded/durability.test.ts',
]
/** Starts of a service within the tests of one file: with other settings, or as another process. */
const MAX_STARTS_IN_TESTS = 4
const TIME_AND_CHANCE = ['src/platform/clock.ts', 'src/platform/chance.ts']
const isStore = (file: string): boolean => /^src\/(store|platform\/(postgres|embedded-postgres|queue))\//.test(file)

const root = join(import.meta.dirname, '..')
const sources = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
const everything = globSync('{src,lab,test,bench,scripts,sdk,web}/**/*.{ts,tsx,mjs}', { cwd: root }).filter(
  (file) => !/node_modules|^web\/dist|^sdk\/(?:dist|src\/generated)\//.test(file),
)
const tests = everything.filter((file) => file.endsWith('.test.ts'))

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(/^(?:import|export)\s(?:[^'"`;]*?\sfrom\s+)?'([^']+)'/gm)].map(([, name]) => name!)
}

function resolveImport(file: string, name: string): string | undefined {
  if (name.startsWith('#')) return join('src', name.slice(1))
  if (name.startsWith('.')) return relative(root, resolve(root, dirname(file), name))
  return undefined
}

function importedBy(file: string): string[] {
  return importsOf(file)
    .map((name) => resolveImport(file, name))
    .filter((target) => target !== undefined)
}

function roomOf(file: string): string {
  return file.split('/')[1]!
}

/**
 * The arrows between entries of one folder (files, and folders as a whole) that lie on a ring, each with an import that makes it.
 * A ring of files alone is a circle, which another test refuses.
 */
function ringsOf(files: string[]): string[] {
  const arrows = new Map<string, Map<string, string>>()
  for (const file of files)
    for (const target of importedBy(file)) {
      const [from, to] = [file.split('/'), target.split('/')]
      const level = from.findIndex((part, i) => part !== to[i])
      // Rooms have a table of their own.
      if (level < 2) continue
      const folder = from.slice(0, level).join('/')
      const start = `${folder}/${from[level]}`
      const ends = arrows.get(start) ?? new Map<string, string>()
      arrows.set(start, ends.set(`${folder}/${to[level]}`, `${file} -> ${target}`))
    }
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean => {
    if (from === to) return true
    if (seen.has(from)) return false
    seen.add(from)
    return [...(arrows.get(from)?.keys() ?? [])].some((next) => reaches(next, to, seen))
  }
  return [...arrows].flatMap(([start, ends]) =>
    [...ends].filter(([end]) => reaches(end, start)).map(([, example]) => example),
  )
}

suite('the house', () => {
  test('rooms only import downward', () => {
    const wrong = sources.flatMap((file) => {
      const room = roomOf(file)
      if (WIRING.includes(room)) return []
      const allowed = MAY_IMPORT[room]
      if (allowed === undefined) return [`${file}: there is no room called ${room}`]
      return importedBy(file)
        .filter((target) => roomOf(target) !== room && !allowed.includes(roomOf(target)))
        .map((target) => `${file} -> ${target}`)
    })
    assert.deepEqual(wrong, [])
  })

  test('siblings among flows import in the declared order, siblings among connectors never', () => {
    const wrong = sources
      .filter((file) => /^src\/(flows|connectors)\/[^/]+\//.test(file))
      .flatMap((file) => {
        const [, room, folder = ''] = file.split('/')
        const allowed = room === 'flows' ? (MAY_IMPORT_FLOWS[folder] ?? []) : []
        return importedBy(file)
          .filter((target) => roomOf(target) === room && ![folder, ...allowed].includes(target.split('/')[2]!))
          .map((target) => `${file} -> ${target}`)
      })
    assert.deepEqual(wrong, [])
  })

  test('folders beside each other do not import in a ring', () => {
    assert.deepEqual(ringsOf(sources), [])
  })

  test(`no folder has more than ${MAX_FILES_IN_FOLDER} files`, () => {
    const full = [...Map.groupBy(everything, dirname)]
      .filter(([, files]) => files.length > MAX_FILES_IN_FOLDER)
      .map(([folder, files]) => `${folder}: ${files.length}`)
    assert.deepEqual(full, [])
  })

  test('nothing imports in a circle', () => {
    const edges = new Map(sources.map((file) => [file, importedBy(file)]))
    const state = new Map<string, 'open' | 'done'>()
    const circles: string[] = []
    const walk = (file: string, trail: string[]): void => {
      if (state.get(file) === 'done') return
      if (state.get(file) === 'open') {
        circles.push([...trail.slice(trail.indexOf(file)), file].join(' -> '))
        return
      }
      state.set(file, 'open')
      for (const target of edges.get(file) ?? []) walk(target, [...trail, file])
      state.set(file, 'done')
    }
    for (const file of sources) walk(file, [])
    assert.deepEqual(circles, [])
  })

  test(`no file is longer than ${MAX_LINES} lines`, () => {
    const long = everything.filter((file) => readFileSync(join(root, file), 'utf8').split('\n').length > MAX_LINES + 1)
    assert.deepEqual(long, [])
  })

  test('only main.ts reads the environment, and only a few entry files import dynamically', () => {
    const wrong = sources.filter((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      return (
        (file !== 'src/main.ts' && /process\.(env|argv)\b/.test(text)) ||
        (!DYNAMIC_IMPORTS.includes(file) && /[^.\w]import\(/.test(text))
      )
    })
    assert.deepEqual(wrong, [])
  })

  test('how memory is treated is said before anything else is loaded', () => {
    for (const program of ['src/main.ts', 'src/boot/worker-main.ts'])
      assert.match(readFileSync(join(root, program), 'utf8'), /^import '#platform\/tune-heap\.ts'\n/)
  })

  test('the lab and the sources do not know each other', () => {
    const wrong = everything.filter((file) => {
      const targets = importsOf(file).map((name) => resolveImport(file, name) ?? '')
      if (file.startsWith('lab/')) return targets.some((target) => target.startsWith('src/'))
      return (
        file.startsWith('src/') && targets.some((target) => target.startsWith('lab/') || target.startsWith('test/'))
      )
    })
    assert.deepEqual(wrong, [])
  })

  test('there are no drawers', () => {
    const drawers = everything.filter((file) => /(^|\/)(utils?|helpers?|common|shared|misc|lib)(\/|\.ts$)/.test(file))
    assert.deepEqual(drawers, [])
  })

  test('SQL is written in the store and in destinations only, and so are drivers imported', () => {
    const wrong = sources.flatMap((file) => {
      if (file.startsWith(DESTINATIONS)) return []
      const drivers = importsOf(file).filter(
        (name) => DRIVERS.test(name) || (!isStore(file) && STORE_DRIVERS.test(name)),
      )
      const { strings } = takeApart(readFileSync(join(root, file), 'utf8'))
      return [...drivers, ...(isStore(file) ? [] : strings.filter((text) => SQL.test(text)))].map(
        (found) => `${file}: ${found}`,
      )
    })
    assert.deepEqual(wrong, [])
    for (const text of [
      "'select 1'",
      '`insert into x values (1)`',
      "'DELETE FROM x'",
      '`update x set a = 1`',
      '`create table x ()`',
    ])
      assert.match(text, SQL)
    for (const text of [
      "'Select a service.'",
      "'could not be deleted from the list'",
      "'update the key, set a new one'",
    ])
      assert.doesNotMatch(text, SQL)
  })

  test('only the gate and the writers name the tables of items, and nobody else looks behind the gate', () => {
    const stringsOf = (file: string) => takeApart(readFileSync(join(root, file), 'utf8')).strings
    const naming = sources
      .filter((file) => file.startsWith('src/store/'))
      .filter((file) => stringsOf(file).some((text) => ITEM_TABLE.test(text)))
    assert.deepEqual(
      naming.filter((file) => !ITEM_GATE.includes(file) && !ITEM_WRITERS.includes(file)),
      [],
      'read items with listItems, countShown or readerById',
    )
    assert.deepEqual(
      ITEM_WRITERS.filter((file) => !naming.includes(file)),
      [],
      'names no table of items any more',
    )
    const behind = sources.filter(
      (file) =>
        !ITEM_GATE.includes(file) &&
        (importsOf(file).some((name) => INSIDE_GATE.test(name)) ||
          /import [^;]*?\bprofilesBefore\b[^;]*? from/.test(readFileSync(join(root, file), 'utf8'))),
    )
    assert.deepEqual(behind, [])
    for (const text of ['`select 1 from item i`', '`, item where`', "'item'", '`join item_tombstone t on`'])
      assert.match(text, ITEM_TABLE)
    for (const text of ["'item-erase'", '`from child_item c`', '`from item_hour`', '`i.item`'])
      assert.doesNotMatch(text, ITEM_TABLE)
  })

  test('an error that nobody looks at has a comment that says why', () => {
    const wrong = sources.flatMap((file) =>
      ignoredErrors(readFileSync(join(root, file), 'utf8'))
        .filter(({ explained }) => !explained)
        .map(({ line, text }) => `${file}:${line} ${text}`),
    )
    assert.deepEqual(wrong, [])
    const ignored = (source: string) => ignoredErrors(source).map(({ explained }) => explained)
    for (const source of [
      'try { a() } catch {}',
      'try { a() } catch { return undefined }',
      'try { a() } catch (error) { b() }',
      'a().catch(() => {})',
      'a().catch((error: unknown) => b())',
      'a().then(() => true, () => false)',
      '// Above is not enough for a clause.\ntry { a() } catch {\n}',
      "log.warn('catch')\na()\n  .catch(() => [])",
    ])
      assert.deepEqual(ignored(source), [false], source)
    for (const source of [
      'try { a() } catch {\n// Gone already.\n}',
      '// Closing anyway.\na().catch(() => {})',
      'a().then(b, () => {\n// Not there.\n})',
    ])
      assert.deepEqual(ignored(source), [true], source)
    for (const source of [
      'try { a() } catch (error) { log.warn(`it failed: ${reasonOf(error)}`) }',
      'a().catch((error: unknown) => { throw broken(error) })',
      'a().catch(noneYet)',
      "const text = 'try {} catch {}' // catch {}",
      'a().then(() => true)',
    ])
      assert.deepEqual(ignored(source), [], source)
  })

  test('time and chance come from outside, so that tests can choose them', () => {
    const wrong = sources
      .filter((file) => !TIME_AND_CHANCE.includes(file))
      .flatMap((file) =>
        [
          ...takeApart(readFileSync(join(root, file), 'utf8')).code.matchAll(
            /\bDate\.now\(|\bnew Date\(\s*\)|\bMath\.random\(/g,
          ),
        ].map(([found]) => `${file}: ${found}`),
      )
    assert.deepEqual(wrong, [])
  })

  test('what tests make up is the same each time', () => {
    const wrong = everything
      .filter((file) => file.endsWith('.test.ts') && !KILL_BY_CHANCE.includes(file))
      .filter((file) => /\bMath\.random\(|\brandomInt\(/.test(takeApart(readFileSync(join(root, file), 'utf8')).code))
    assert.deepEqual(wrong, [], 'a seed comes from test/harness/effort.ts')
  })

  test('tests wait for events: a timer in one has a comment that says why', () => {
    const wrong = tests.flatMap((file) =>
      unexplainedTimers(readFileSync(join(root, file), 'utf8')).map(({ line, text }) => `${file}:${line} ${text}`),
    )
    assert.deepEqual(wrong, [], 'test/harness/until.ts waits')
    for (const poll of ['while (!done()) await sleep(5)', '// Why.\n\nsetTimeout(go, 5)', 'setInterval(look, 5) // "'])
      assert.equal(unexplainedTimers(poll).length, poll.endsWith('"') ? 0 : 1, poll)
    assert.deepEqual(unexplainedTimers("// It has this time to be wrong.\nawait sleep(5)\n'sleep(5)'"), [])
  })

  test('tests share what they start: no service for each of them', () => {
    const wrong = tests.flatMap((file) =>
      startsPerTest(readFileSync(join(root, file), 'utf8'), MAX_STARTS_IN_TESTS).map(
        ({ line, text }) => `${file}:${line} ${text}`,
      ),
    )
    assert.deepEqual(wrong, [], 'start it in `before`')
    const inTest = "test('a', async () => {\n  await startTributary()\n})\n"
    const counted = (source: string) => startsPerTest(source, 1).map(({ line }) => line)
    assert.deepEqual(counted('before(async () => {\n  await startLabHarness()\n})\n'), [])
    assert.deepEqual(counted(inTest), [])
    assert.deepEqual(counted(inTest + inTest), [2, 5])
    assert.deepEqual(counted('beforeEach(async () => {\n  harness = await startLabHarness()\n})\n'), [2])
    assert.deepEqual(counted(`for (const each of all)\n${inTest.replaceAll(/^/gm, '  ')}`), [3])
    const own = 'const started = async () => {\n  return startTributary()\n}\n'
    assert.deepEqual(counted(own + inTest.replace('startTributary', 'started').repeat(2)), [5, 8])
    assert.deepEqual(counted('beforeEach(async () => {\n  // Each breaks it.\n  await startTributary()\n})\n'), [])
  })

  test('pages leave routes to the compiler, and name what they read again', () => {
    const wrong = everything
      .filter((file) => file.startsWith('web/src/'))
      .filter((file) => UNTYPED_OR_UNNAMED.test(readFileSync(join(root, file), 'utf8')))
    assert.deepEqual(wrong, [])
    for (const code of [
      'search as never',
      'useParams({ strict: false })',
      'queries.invalidateQueries()',
      'queries.invalidateQueries({ predicate })',
    ])
      assert.match(code, UNTYPED_OR_UNNAMED)
    assert.doesNotMatch('queries.invalidateQueries({ queryKey })', UNTYPED_OR_UNNAMED)
  })
})
