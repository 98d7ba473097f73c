import { html } from '../../base/html.ts'
import type { PostFields } from './model.ts'
import { blogUrl } from './present-blog.ts'

const paragraph = (words: string): string => html`<p>${words}</p>`.html

const photo = (url: string, hue: number) => {
  const sizes = [1280, 500, 400, 250, 100, 75].map((width) => {
    const height = Math.round((width * 3) / 4)
    return { url: `${url}/media/${width}x${height}-${hue}.svg`, width, height }
  })
  return { caption: '', original_size: sizes[0], alt_sizes: sizes }
}

/** The fields of the post's type. `filter` returns the source text instead of HTML. */
export function legacyContent(
  url: string,
  fields: PostFields,
  filter: 'html' | 'text' | 'raw',
): Record<string, unknown> {
  const { type, words, title, hues, dialogue, reblog } = fields
  const textWithComment = reblog && reblog.comment !== '' ? `${words}\n${reblog.comment}` : words
  const body = filter === 'html' ? paragraph(textWithComment) : textWithComment
  switch (type) {
    case 'photo':
      return {
        caption: body,
        width: 1280,
        height: 960,
        ...(hues.length > 1 ? { photoset_layout: String(hues.length) } : {}),
        photos: hues.map((hue) => photo(url, hue)),
      }
    case 'quote':
      return { text: words, source: `<a href="${fields.url}" target="_blank">${fields.sourceTitle}</a>` }
    case 'link':
      return {
        title: title ?? '',
        url: fields.url,
        link_author: null,
        excerpt: `${title}: a long read`,
        publisher: 'reading.test',
        photos: hues.map((hue) => photo(url, hue)),
        description: body,
      }
    case 'chat':
      return {
        title,
        body: dialogue.map(({ name, phrase }) => `${name}: ${phrase}`).join('\r\n'),
        dialogue: dialogue.map(({ name, phrase }) => ({ label: `${name}:`, name, phrase })),
      }
    case 'audio':
      return {
        caption: body,
        player: `<iframe src="${fields.url}"></iframe>`,
        embed: `<iframe src="${fields.url}"></iframe>`,
        plays: 12,
        artist: 'The Kettles',
        track_name: title ?? '',
        audio_url: fields.url,
        audio_type: 'tumblr',
      }
    case 'video':
      return {
        caption: body,
        permalink_url: fields.url,
        video_type: 'unknown',
        thumbnail_url: `${url}/media/480x360-${hues[0] ?? 0}.svg`,
        thumbnail_width: 480,
        thumbnail_height: 360,
        player: [250, 400, 500].map((width) => ({
          width,
          embed_code: `<iframe width="${width}" src="${fields.url}"></iframe>`,
        })),
      }
    case 'answer':
      return {
        asking_name: fields.asker ?? 'Anonymous',
        asking_url: fields.asker === undefined ? null : blogUrl(fields.asker),
        question: title ?? '',
        answer: body,
      }
    case 'text':
      return { title, body }
    default:
      return type satisfies never
  }
}
