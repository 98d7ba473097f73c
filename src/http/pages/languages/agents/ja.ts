import type { TranslationOf } from '../texts.ts'
import type { en } from './en.ts'

export const ja: TranslationOf<typeof en> = {
  servicesTitle: 'プログラムが {app} にあるあなたのデータへのアクセスを求めています',
  servicesIntro: '{app} に連携したサービスでログインしてください。プログラムに何を許可するかは、その後で選べます。',
  servicesWarning: '心当たりがない場合や、他の人からリンクが送られてきた場合は、このページを閉じてください。',
  title: '{app} にあるデータの利用をプログラムに許可しますか？',
  asks: 'AI アシスタントなどのプログラムが、{app} のあなたのアカウントへのアクセスを求めています。回答後は {host} に戻ります。',
  accountOf: '対象は、次のプロフィールを含むアカウントです。',
  mayRead: '読み取りの許可',
  'items:read': '投稿、写真、場所、メッセージなど、サービスから読み込まれたすべてのデータの検索と閲覧',
  'people:read': '連絡先にある人の閲覧',
  'profiles:read': '連携しているサービスとプロフィールの確認',
  'changes:read': '追加、変更、削除された内容の確認',
  mayWrite: '変更の許可',
  writeAs: '{service} であなたとして変更、投稿、削除を行う',
  writeWarning:
    'このようなプログラムは、読み取った内容に惑わされることがあります。変更のたびに確認を求めるプログラムにだけ、変更を許可してください。',
  allow: '許可する',
  ends: 'アクセスは、あなたまたは {app} が取り消したとき、または最後の利用から 30 日後に終了します。',
  warning: '心当たりがない場合や、他の人からリンクが送られてきた場合は、「いいえ」を選んでください。',
}
