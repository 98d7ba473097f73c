import { type Blog, mentionsOf, type Post } from './content.ts'

interface Named {
  uuid?: string | undefined
  name?: string | undefined
}

/** The id of a blog; its name where the response does not have the id. */
export const idOf = (blog: Named | undefined): string | undefined => blog?.uuid || blog?.name

const FIRST_NOTES = 16

/** Author and others of a post. A blog that one part of the post names and another identifies is one participant. */
export function participantsOf(post: Post): { author: string | undefined; others: (string | undefined)[] } {
  const author: Named = { name: post.blog_name, ...post.blog }
  const others: (Named | undefined)[] = [
    ...(post.notes ?? []).slice(0, FIRST_NOTES).map(({ blog_name: name, blog_uuid: uuid }) => ({ name, uuid })),
    { name: post.reblogged_from_name, uuid: post.reblogged_from_uuid },
    { name: post.reblogged_root_name, uuid: post.reblogged_root_uuid },
    ...(post.trail ?? []).map(({ blog, broken_blog_name: name }): Blog | Named => blog ?? { name }),
    ...(post.layout ?? []).map(({ attribution }) => attribution?.blog),
    ...mentionsOf(post),
  ]
  const known = new Map([author, ...others].flatMap((one) => (one?.uuid && one.name ? [[one.name, one.uuid]] : [])))
  const resolved = (one: Named | undefined) => {
    const id = idOf(one)
    return id === undefined ? undefined : (known.get(id) ?? id)
  }
  return { author: resolved(author), others: others.map(resolved) }
}
