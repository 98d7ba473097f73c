import type { TranslationOf } from '../texts.ts'
import type { en } from './en.ts'

export const ja: TranslationOf<typeof en> = {
  title: '連携を完了できませんでした',
  notFoundTitle: 'ページが見つかりません',
  notFound: 'このアドレスには何もありません。入力に間違いがないか確認してください。',
  programsTitle: 'このアドレスはプログラム用です',
  programs: '存在しますが、ブラウザーでは開けません。',
  failedTitle: '問題が発生しました',
  failed: 'あなたの操作が原因ではありません。少し待ってからページを再読み込みしてください。',
  faultOfApp:
    '{app} が使用したリンクは機能しません。あなたの操作が原因ではありません。{app} に戻り、下の内容を開発者に伝えてください。',
  faultOfUnknownApp:
    '元のアプリが使用したリンクは機能しません。あなたの操作が原因ではありません。アプリに戻り、下の内容を開発者に伝えてください。',
  session_expired:
    'このログインは終了しています。すでに完了しているか、時間がかかりすぎたか、別のブラウザーで開始されました。',
  link_invalid: 'リンクが間違っているか、使用済みか、期限切れです。アプリで新しいリンクを取得してください。',
  tooMany: '試行回数が多すぎます。数分待ってからもう一度お試しください。',
  back: '{app} に戻る',
  backUnknown: '元のアプリに戻って、もう一度お試しください。',
  start: 'トップページ',
}
