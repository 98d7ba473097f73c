import type { TranslationOf } from '../texts.ts'
import type { en } from './en.ts'

export const ar: TranslationOf<typeof en> = {
  handle: 'معرّفك',
  handleHint: 'اتركه فارغًا إن لم تكن تعرفه: ستسجّل الدخول حينئذ في bsky.social.',
  mastodon: 'خادم Mastodon الخاص بك',
  mastodonHint: 'إنه الجزء الأخير من عنوانك، بعد علامة @ الثانية.',
  server: 'عنوان الخادم',
  carddavHint:
    'مثل https://cloud.example/remote.php/dav أو https://contacts.icloud.com أو https://carddav.fastmail.com.',
  caldavHint: 'مثل https://cloud.example/remote.php/dav أو https://caldav.icloud.com أو https://caldav.fastmail.com.',
  userName: 'اسم المستخدم',
  password: 'كلمة المرور',
  passwordHint: 'إذا كان مزوّدك يوفّر كلمات مرور للتطبيقات، فأنشئ واحدة لهذا الغرض واستخدمها هنا.',
  feed: 'خلاصة أو صفحة ويب',
  feedHint: 'RSS أو Atom أو JSON Feed، مثل blog.example أو blog.example/feed.xml',
  site: 'عنوان موقعك',
  siteHint: 'مثل https://myblog.example. المواقع على wordpress.com لا تسمح بدخول التطبيقات بهذه الطريقة.',
}
