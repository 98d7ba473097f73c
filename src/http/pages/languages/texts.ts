import type { Language } from './languages.ts'

/** A text by the plural category of its `{count}` (CLDR); a language fills in the categories that it has. */
export type Plural = { other: string } & Partial<Record<Exclude<Intl.LDMLPluralRule, 'other'>, string>>

/** The texts of some pages in one language. Values are written as `{name}`. */
export type Texts = Readonly<Record<string, string | Plural>>

/** The same texts in another language: a missing key, or one too many, is a type error. */
export type TranslationOf<T extends Texts> = { readonly [Key in keyof T]: T[Key] extends string ? string : Plural }

/** The texts of some pages in every language. */
export type Area<T extends Texts> = { readonly [Each in Language]: Each extends 'en' ? T : TranslationOf<T> }

type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never

/** The values that a text takes, read from its English form. */
export type ValuesOf<Text extends string | Plural> = Text extends string
  ? { readonly [Name in NamesIn<Text>]: string }
  : Text extends { other: infer Other extends string }
    ? { readonly [Name in NamesIn<Other>]: Name extends 'count' ? number : string }
    : never

/** Nothing has to be given for a text without values. */
export type Given<Text extends string | Plural> = keyof ValuesOf<Text> extends never ? [] : [values: ValuesOf<Text>]
