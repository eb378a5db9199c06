import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig, type MarkdownRenderer } from 'vitepress'

// The site of the manual. Its pages are plain Markdown that a forge shows as well; what only the site knows stands here.

const page = (text: string, link: string) => ({ text, link })

export default defineConfig({
  title: 'genrun',
  description: 'A declarative batch runner for generative media: nothing is paid for twice',
  lang: 'en',
  head: [['style', {}, readFileSync(new URL('genrun.css', import.meta.url), 'utf8')]],
  cleanUrls: true,
  // Pages about the house lead to files that are beside the manual and not in it.
  ignoreDeadLinks: [/ARCHITECTURE/],
  markdown: {
    config: md => {
      nameFiles(md)
      keepBraces(md)
    },
  },
  themeConfig: {
    // The index is made when the site is built, and searched in the reader's browser: no service is asked.
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      page('Start', '/start'),
      page('Guide', '/guide/jobs'),
      page('Cookbook', '/cookbook/'),
      page('Reference', '/reference/'),
    ],
    sidebar: [
      {
        text: 'Start',
        items: [
          page('Ten minutes', '/start'),
          page('Questions', '/questions'),
          page('Glossary', '/glossary'),
        ],
      },
      {
        text: 'Guide',
        items: [
          page('Jobs', '/guide/jobs'),
          page('Matrix and forEach', '/guide/matrix'),
          page('References and joins', '/guide/references'),
          page('Takes and picks', '/guide/takes'),
          page('Defaults, variables, include', '/guide/sharing'),
          page('Files and tables', '/guide/files'),
          page('Names of files', '/guide/names'),
          page('Expressions', '/guide/expressions'),
          page('Prices, caps and limits', '/guide/prices'),
          page('Models', '/guide/models'),
          page('Profiles', '/guide/profiles'),
          page('Rehearsal', '/guide/rehearsal'),
          page('Settings', '/guide/settings'),
        ],
      },
      {
        text: 'Money and recovery',
        items: [
          page('Never twice', '/money/never-twice'),
          page('States', '/money/states'),
          page('Exit codes', '/money/exit-codes'),
          page('Recovery', '/money/recovery'),
        ],
      },
      {
        text: 'With others',
        items: [
          page('Teams', '/teams'),
          page('CI', '/ci'),
          page('Services', '/services'),
          page('Review', '/review'),
          page('Scale', '/scale'),
          page('A fleet', '/fleet'),
          page('A night', '/night'),
          page('From code', '/code'),
          page('Who may say what', '/security'),
        ],
      },
      ...noted(),
      {
        text: 'Cookbook',
        items: [
          page('Twenty manifests', '/cookbook/'),
          page('Pictures', '/cookbook/pictures'),
          page('Film', '/cookbook/film'),
          page('Voice and sound', '/cookbook/voice'),
          page('Campaigns', '/cookbook/campaigns'),
        ],
      },
      {
        text: 'Reference',
        items: [
          page('Everything', '/reference/'),
          page('Commands', '/reference/commands'),
          page('Settings and variables', '/reference/settings'),
          page('Keys of a manifest', '/reference/language'),
          page('Keys of a profile', '/reference/profile'),
          page('Models', '/reference/models'),
          page('Events', '/reference/events'),
          page('Problem codes', '/reference/problems'),
        ],
      },
      {
        text: 'How it is built',
        items: [
          page('The contract', '/contract'),
          page('A purchase', '/purchases'),
          page('Decisions', '/decisions'),
        ],
      },
    ],
  },
})

/** Shows the name of a file above its block: it stands behind the fence, where a forge shows nothing. */
function nameFiles(md: MarkdownRenderer): void {
  const fence = md.renderer.rules.fence
  md.renderer.rules.fence = (tokens, at, ...others) => {
    const [, name] = /^\S+ (\S+)$/.exec(tokens[at]?.info ?? '') ?? []
    const block = fence?.(tokens, at, ...others) ?? ''
    return name ? `<p class="file-name">${md.utils.escapeHtml(name)}</p>${block}` : block
  }
}

/** In code `{{` is what it says: the site leaves it alone in blocks, and has to be told so in sentences. */
function keepBraces(md: MarkdownRenderer): void {
  const inline = md.renderer.rules.code_inline
  md.renderer.rules.code_inline = (tokens, at, ...others) => {
    tokens[at]?.attrSet('v-pre', '')
    return inline?.(tokens, at, ...others) ?? ''
  }
}

/** Pages that stand in the folder and in no group below: a new one is found before anybody has given it a place. */
function noted() {
  const config = readFileSync(new URL('config.ts', import.meta.url), 'utf8')
  const folder = new URL('../', import.meta.url)
  const items = readdirSync(folder)
    .filter(name => name.endsWith('.md') && name !== 'index.md')
    .map(name => name.slice(0, -'.md'.length))
    .filter(name => !config.includes(`'/${name}'`))
    .map(name =>
      page(/^# (.+)$/m.exec(readFileSync(new URL(`${name}.md`, folder), 'utf8'))?.[1] ?? name, `/${name}`),
    )
  return items.length > 0 ? [{ text: 'More', items }] : []
}
