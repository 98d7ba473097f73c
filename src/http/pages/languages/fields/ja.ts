import type { TranslationOf } from '../texts.ts'
import type { en } from './en.ts'

export const ja: TranslationOf<typeof en> = {
  handle: 'ハンドル',
  handleHint: 'わからない場合は空欄のままにしてください。bsky.social でログインします。',
  mastodon: 'Mastodon サーバー',
  mastodonHint: 'アドレスの 2 つ目の @ より後の部分です。',
  server: 'サーバーのアドレス',
  carddavHint: '例：https://cloud.example/remote.php/dav、https://contacts.icloud.com、https://carddav.fastmail.com',
  caldavHint: '例：https://cloud.example/remote.php/dav、https://caldav.icloud.com、https://caldav.fastmail.com',
  userName: 'ユーザー名',
  password: 'パスワード',
  passwordHint: 'プロバイダーにアプリ用パスワードがある場合は、専用のものを作成してここで使ってください。',
  feed: 'フィードまたはウェブページ',
  feedHint: 'RSS、Atom、JSON Feed（例：blog.example、blog.example/feed.xml）',
  site: 'サイトのアドレス',
  siteHint: '例：https://myblog.example（wordpress.com のサイトはこの方法でのログインに対応していません）',
}
