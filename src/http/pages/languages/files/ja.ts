import type { TranslationOf } from '../texts.ts'
import type { en } from './en.ts'

export const ja: TranslationOf<typeof en> = {
  service: 'カレンダーと連絡先のファイル',
  label: 'ファイルを選ぶか、ここにドロップしてください',
  formats: 'カレンダー（.ics）、連絡先（.vcf）、またはそれらを含む ZIP ファイル。最大 {megabytes} MB。',
  upload: 'アップロードして接続',
  where: 'このようなファイルはどこで入手できますか？',
  whereGoogle: 'Google：takeout.google.com でカレンダーと連絡先だけを選び、ZIP ファイルをそのままアップロードします。',
  whereApple: 'Apple：カレンダーでは「ファイル」から「書き出す」、連絡先では「vCard を書き出す」を選びます。',
  whereOutlook: 'Outlook：カレンダーは iCalendar、連絡先は vCard として保存します。',
  promise:
    'ファイルの予定と連絡先は保存され、{app} と共有されます。画像など、それ以外のものは保存されません。ファイル自体は残らず、新しいファイルをアップロードしない限り、あとで読み取られることはありません。',
  readOn: '{date} {time} にファイルから読み取りました',
  waiting: 'ファイルを読み取っています',
  format:
    'このファイルはカレンダー（.ics）でも連絡先（.vcf）でも、それらを含む ZIP ファイルでもありません。何も保存されていません。',
  empty: 'このファイルには予定も連絡先もありません。何も保存されていません。',
  damaged:
    'この ZIP ファイルは壊れています。もう一度ダウンロードするか、中のファイルを一つずつアップロードしてください。',
  encrypted: 'この ZIP ファイルにはパスワードがあります。展開して、中のファイルをアップロードしてください。',
  unsupported: 'この種類の ZIP ファイルは読み取れません。展開して、中のファイルをアップロードしてください。',
  too_many_entries: 'この ZIP ファイルにはファイルが多すぎます。カレンダーと連絡先だけを書き出してください。',
  too_large:
    'このファイルは大きすぎるか、展開すると大きくなりすぎます。アップロードできるのは最大 {megabytes} MB です。',
  too_many: 'このファイルには予定と連絡先が多すぎます。一度に書き出すカレンダーを減らしてください。',
  broken: 'アップロードが中断され、何も保存されていません。もう一度お試しください。',
  missing: '先にファイルを選んでください。',
}
