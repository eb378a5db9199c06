// One comment on a pull request for each manifest, edited in place. It also remembers what the runs on that pull request may have
// spent: before a run what it may spend is added, afterwards it is set to what it did spend. Killed between, it counts as spent.

import { setting } from './step.mjs'

const author = 'github-actions[bot]'

/** The comment on the pull request of an event; undefined where there is none, or none is wanted. */
export async function commentOnPull({ pull_request: pull }) {
  if (pull === undefined || setting('COMMENT') === 'false' || setting('TOKEN') === '') return undefined
  return openComment({
    api: process.env.GITHUB_API_URL ?? 'https://api.github.com',
    repository: process.env.GITHUB_REPOSITORY,
    number: pull.number,
    token: setting('TOKEN'),
    manifest: setting('MANIFEST'),
  })
}

async function openComment({ api, repository, number, token, manifest }) {
  const mark = `<!-- genrun ${encodeURIComponent(manifest)} `
  const base = `${api}/repos/${repository}/issues`
  const found = await find()
  let id = found?.id
  let spent = spentIn(found?.body)
  const text = found?.body.replace(/^.*\n/, '') ?? ''

  async function ask(method, url, body) {
    const answer = await fetched(url, {
      method,
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} of the comment was answered with ${answer.status}`)
    return answer.json()
  }

  /** Only the comment of the action itself counts: anybody may write one that looks like it. */
  async function find() {
    for (let page = 1; page <= 50; page++) {
      const all = await ask('GET', `${base}/${number}/comments?per_page=100&page=${page}`)
      const own = all.find(({ user, body }) => user?.login === author && body?.startsWith(mark))
      if (own || all.length < 100) return own
    }
    return undefined
  }

  return {
    spent: () => spent,
    /** What it said when it was opened. */
    text: () => text,
    async write(text, now = spent) {
      spent = now
      const body = `${mark}paid=${now.paid} cost=${now.cost} -->\n${text}`
      const made = id
        ? await ask('PATCH', `${base}/comments/${id}`, { body })
        : await ask('POST', `${base}/${number}/comments`, { body })
      id = made.id
    },
  }
}

/** A connection that was left open may be gone by now: what can be said twice is said once more. */
async function fetched(url, request) {
  try {
    return await fetch(url, request)
  } catch (trouble) {
    if (request.method === 'POST') throw trouble
    return fetch(url, request)
  }
}

function spentIn(body = '') {
  const [, paid = '0', cost = '0'] = /^<!-- genrun \S+ paid=(\d+) cost=(\d+(?:\.\d+)?) -->/.exec(body) ?? []
  return { paid: Number(paid), cost: Number(cost) }
}
