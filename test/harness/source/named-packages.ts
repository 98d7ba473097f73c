/** A package that a text tells somebody, or a program, to fetch. */
export interface NamedPackage {
  /** As it is written: a name with or without version, a path, or an address. */
  spec: string
  /** Runs only what is installed: `npx --no-install`. */
  isLocal: boolean
  /** The command, for messages. */
  command: string
}

type Verb = 'install' | 'run' | 'create'

const INSTALL = ['add', 'i', 'install', 'pack', 'update', 'up', 'upgrade']
/** What each program fetches, by the word after its name; `''` is the program without such a word. */
const VERBS: Record<string, Record<string, Verb>> = {
  npm: {
    ...verbs('install', INSTALL),
    ...verbs('run', ['exec', 'x']),
    ...verbs('create', ['create', 'init', 'innit']),
  },
  pnpm: { ...verbs('install', INSTALL), dlx: 'run', create: 'create' },
  yarn: { ...verbs('install', INSTALL), dlx: 'run', create: 'create' },
  bun: { ...verbs('install', INSTALL), x: 'run', create: 'create' },
  deno: verbs('install', INSTALL),
  npx: { '': 'run' },
  pnpx: { '': 'run' },
  bunx: { '': 'run' },
}
/** Flags whose value is the next word. */
const WITH_VALUE =
  /^(?:-C|-c|-F|-w|--(?:cache|call|cwd|dir|filter|include|install-strategy|location|loglevel|modules-folder|omit|pack-destination|prefix|registry|tag|userconfig|workspace))$/
const PACKAGE = /^(?:-p|--package)(?:=(.+))?$/
const LOCAL = /^(?:--no|--no-install|--yes=false)$/

const PROGRAM = /(?<![\w./@-])(?:npm|npx|pnpm|pnpx|yarn|bun|bunx|deno)(?![\w./@:-])/g
/** One word of a command in a shell, after its blanks; quotes end a command unless they begin a word. */
const WORD = /[ \t]+(?:"([^"\s]*)"|'([^'\s]*)'|(<[\w ]+>|(?:\$\{[^}\n]*\}|\$\([^)\n]*\)|[^\s"'`;|&()<>#,])+))/y
/** The words of a command in a list: as arguments of `spawn`, as `command` and `args` in JSON, or of a Dockerfile. */
const LIST = /^["']\s*,\s*(?:["']?args["']?\s*:\s*)?\[?([^\])]*)/
const IMPORT =
  /\b(?:npm:|(?:esm\.sh|esm\.run|unpkg\.com|cdn\.skypack\.dev|cdn\.jsdelivr\.net\/npm)\/)(@?[a-z\d][\w.~-]*(?:\/[\w.~-]+)?)/gi

/** The packages that commands and addresses in a text fetch from a registry. */
export function namedPackages(text: string): NamedPackage[] {
  // A line that is continued is one command; in a string of a program a new line is written \n.
  const joined = text.replaceAll(/\\\r?\n[ \t]*(?:(?:\*|#|\/\/)[ \t]+)?/g, ' ').replaceAll('\\n', '\n')
  const commands = [...joined.matchAll(PROGRAM)].flatMap(({ 0: program, index }) => {
    const words = wordsAfter(joined, index + program.length)
    const command = [program, ...words].join(' ')
    return fetched(program, words).map((named) => ({ ...named, command }))
  })
  const imports = [...joined.matchAll(IMPORT)].map(([command, name]) => ({
    spec: name!.startsWith('@') ? name! : name!.split('/')[0]!,
    isLocal: false,
    command,
  }))
  return [...commands, ...imports]
}

/** The name in `name@version`. */
export function nameOf(spec: string): string {
  return /^@?[^@]*/.exec(spec)![0]
}

function wordsAfter(text: string, from: number): string[] {
  const list = LIST.exec(text.slice(from, from + 1000))
  // What is not written here, but computed, is taken for a path.
  if (list !== null) return list[1]!.split(',').map((each) => /^\s*(["'])(.*)\1\s*$/s.exec(each)?.[2] ?? './computed')
  const words: string[] = []
  WORD.lastIndex = from
  for (let found = WORD.exec(text); found !== null; found = WORD.exec(text))
    words.push(found[1] ?? found[2] ?? found[3]!)
  return words
}

function fetched(program: string, words: string[]): Omit<NamedPackage, 'command'>[] {
  const verbs = VERBS[program]!
  const [packages, positional]: [string[], string[]] = [[], []]
  let [verb, isLocal] = [verbs[''], false]
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    const named = PACKAGE.exec(word)
    if (word === 'global' && verb === undefined) continue
    // The words after the name belong to the program that is run or created.
    if (positional.length > 0 && verb !== 'install') break
    if (LOCAL.test(word)) isLocal = true
    else if (named !== null && verb !== 'install') packages.push(named[1] ?? words[++at] ?? '')
    else if (WITH_VALUE.test(word)) at++
    else if (word.startsWith('-')) continue
    else if (verb !== undefined) positional.push(word)
    else if (Object.hasOwn(verbs, word)) verb = verbs[word]
    else return []
  }
  const specs = packages.length > 0 ? packages : positional
  return specs.map((spec) => ({ spec: verb === 'create' ? initializer(spec) : spec, isLocal }))
}

/** The package that creates something by this name. */
function initializer(spec: string): string {
  const name = nameOf(spec)
  const [scope, rest] = name.startsWith('@') ? name.split('/') : [undefined, name]
  if (scope === undefined) return `create-${rest}`
  return rest === undefined ? `${scope}/create` : `${scope}/create-${rest}`
}

function verbs(verb: Verb, words: string[]): Record<string, Verb> {
  return Object.fromEntries(words.map((word) => [word, verb]))
}
