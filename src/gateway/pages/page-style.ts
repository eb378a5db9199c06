/** The human page's style sheet; its hash stands in the page's content security policy. */
export const styles = `
:root { color-scheme: light dark; --line: #d8d4cc; --soft: #6a655c; --card: #fffdf9; --page: #f6f3ee; --text: #1d1b18 }
@media (prefers-color-scheme: dark) {
  :root { --line: #3a3732; --soft: #a8a196; --card: #201e1b; --page: #161513; --text: #f1ede6 }
}
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 76rem; padding: 2rem 1.25rem 4rem; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif }
h1 { margin: 0; font-size: 1.75rem }
h2 { margin: 2.5rem 0 1rem; font-size: 1.25rem }
h3 { margin: 0; font-size: 1rem; overflow-wrap: anywhere }
code { font: .9em ui-monospace, monospace }
a { color: inherit }
.runs { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr)); gap: 1rem; align-items: start; margin: 0; padding: 0; list-style: none }
.run { padding: 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .6rem }
.facts, .prompt, .failure, .remark { margin: .25rem 0 .75rem; font-size: .875rem; color: var(--soft) }
.prompt { margin: .75rem 0 0; overflow-wrap: anywhere }
.state { padding: .1rem .5rem; border: 1px solid var(--line); border-radius: 1rem; color: var(--text) }
.state.failed, .failure { color: #b3261e }
@media (prefers-color-scheme: dark) { .state.failed, .failure { color: #ff8a80 } }
.media { display: grid; gap: .5rem }
.media:has(> :nth-child(2)) { grid-template-columns: 1fr 1fr }
.media img, .media video, .media audio { display: block; width: 100%; max-height: 15rem; object-fit: contain; border-radius: .35rem }
section { overflow-x: auto }
table { width: 100%; border-collapse: collapse; font-size: .9rem }
th, td { padding: .45rem .75rem .45rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top }
th[scope=row] { white-space: nowrap }
`
