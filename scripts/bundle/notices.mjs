import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The licences of the packages that these modules are from, as their copies of them must be accompanied. */
export function noticesOf(modules) {
  const folders = new Set(modules.map((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0]).filter(Boolean))
  const notices = [...folders].map((folder) => {
    const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    if (license === undefined) throw new Error(`${name} does not say its licence`)
    const by = typeof author === 'object' ? author.name : author
    const texts = readdirSync(folder)
      .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
      .map((file) => readFileSync(join(folder, file), 'utf8').trim())
    return [`${name} ${version} (${license})`, ...(texts.length > 0 ? texts : [by ?? ''])].join('\n\n').trim()
  })
  return `Packages that are part of these files, with their licences.\n\n${notices.sort().join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}
