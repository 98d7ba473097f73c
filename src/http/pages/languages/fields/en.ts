/** What the built-in connectors ask for. They have these texts in English, which are found here by their wording. */
export const en = {
  handle: 'Your handle',
  handleHint: 'Leave it empty if you do not know it: then you sign in at bsky.social.',
  mastodon: 'Your Mastodon server',
  mastodonHint: 'It is the last part of your address, after the second @.',
  server: 'Address of the server',
  carddavHint:
    'For example https://cloud.example/remote.php/dav, https://contacts.icloud.com or https://carddav.fastmail.com.',
  caldavHint:
    'For example https://cloud.example/remote.php/dav, https://caldav.icloud.com or https://caldav.fastmail.com.',
  userName: 'User name',
  password: 'Password',
  passwordHint: 'If your provider has app passwords, create one for this and use it here.',
  feed: 'Feed or web page',
  feedHint: 'RSS, Atom or JSON Feed, for example blog.example or blog.example/feed.xml',
  site: 'Address of your site',
  siteHint: 'For example https://myblog.example. Sites at wordpress.com do not let apps sign in this way.',
} as const
