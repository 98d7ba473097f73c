import type { TranslationOf } from '../texts.ts'
import type { en } from './en.ts'

export const ja: TranslationOf<typeof en> = {
  waitingTitle: 'データを削除しています',
  asked: '{date}に {service} で削除が依頼されました。',
  copies: 'ここにあったデータは削除済みです。アプリに送られたコピーの削除を続けています。',
  deletedTitle: 'データは削除されました',
  deleted: '{service} のプロフィールについて保存されていたデータは、{date}にすべて削除されました。',
  nothingTitle: '保存されているデータはありません',
  nothing: '{service} のプロフィールについて保存されていたデータはありませんでした。',
  unknownTitle: '確認コードが見つかりません',
  unknown: 'このコードの削除依頼は存在しないか、完了してから 90 日以上が経過しています。',
  code: '確認コード：',
}
