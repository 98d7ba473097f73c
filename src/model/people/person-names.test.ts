import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { foldName } from './contact-keys.ts'
import { handleContradicts, namesContradict } from './person-names.ts'

const contradict = (one: string, other: string) => {
  const found = namesContradict(foldName(one), foldName(other))
  assert.equal(namesContradict(foldName(other), foldName(one)), found, `${one}, ${other}: both ways`)
  return found
}

suite('two names', () => {
  for (const [one, other] of [
    ['Ann Lee', 'ann lee'],
    ['Ann Lee', 'A. Lee'],
    ['Ann Lee', 'Lee, Ann'],
    ['Ann Lee', 'Lee Ann'],
    ['Ann Lee', 'Ann'],
    ['Ann Lee', 'Ann B. Lee'],
    ['Ann Lee', 'Dr. Ann Lee'],
    ['Ann Lee', 'annlee'],
    ['Ann Lee', 'Anna Lee'],
    ['Ann Lee', 'Ann Weber'],
    ['Rob Ray', 'Robert Ray'],
    ['Bob Ray', 'Robert'],
    ['Jürgen Müller', 'Juergen Mueller'],
    ['Sergey Ivanov', 'Sergei Iwanow'],
    ['Иван Петров', 'Ivan Petrov'],
    ['田中 太郎', '田中太郎'],
    ['田中', '田中太郎'],
    ['田中太郎', 'Taro Tanaka'],
  ] as const)
    test(`may be of one person: ${one}, ${other}`, () => assert.equal(contradict(one, other), false))

  for (const [one, other] of [
    ['Hans Meier', 'Greta Meier'],
    ['Hans & Greta Meier', 'Hans Meier'],
    ['Hans und Greta Meier', 'Greta Meier'],
    ['Familie Meier', 'Hans Meier'],
    ['Nils M. Kel', 'Mei Kel'],
    ['Julian', 'J. Palto'],
    ['Maria', 'Matteo Fenova'],
    ['Ann Lee', 'Bea Fox'],
    ['Vera Rasto', 'Rasto, Diego'],
    ['Иван Петров', 'Анна Петрова'],
    ['山田太郎', '山田花子'],
  ] as const)
    test(`cannot be of one person: ${one}, ${other}`, () => assert.equal(contradict(one, other), true))
})

suite('a handle without a name', () => {
  for (const [handle, name, expected] of [
    ['@annlee7', 'Ann Lee', false],
    ['@alee', 'Ann Lee', false],
    ['@lee', 'Ann Lee', false],
    ['@ivan', 'Иван Петров', false],
    ['@kofigolbach', 'Paul Golbach', true],
    ['@zed42', 'Ann Lee', true],
    ['@anton9', 'Anton & Anna Kel', true],
  ] as const)
    test(`${handle} ${expected ? 'is not' : 'may be'} ${name}`, () =>
      assert.equal(handleContradicts(handle, foldName(name)), expected))
})
