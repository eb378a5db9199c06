/** The gallery's style sheet; its hash stands in the page's content security policy. */
export const galleryStyles = `
:root { color-scheme: light dark; --page: #f6f3ee; --card: #fffdf9; --text: #1d1b18; --soft: #5f5a52; --line: #d8d4cc; --good: #1b6b3a; --bad: #a5231b; --warn: #7a5200; --well: #ece8e0 }
@media (prefers-color-scheme: dark) {
  :root { --page: #161513; --card: #201e1b; --text: #f1ede6; --soft: #aaa397; --line: #3a3732; --good: #7fd39b; --bad: #ff8a80; --warn: #f0c36d; --well: #191815 }
}
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 96rem; padding: 1.5rem 1.25rem 4rem; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif }
h1 { margin: 0; font-size: 1.75rem; overflow-wrap: anywhere }
header p { margin: .25rem 0; color: var(--soft) }
.banner { padding: .5rem .75rem; border: 1px solid var(--warn); border-radius: .5rem; color: var(--text) }
.search { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; margin: 1rem 0; padding: .6rem 0; background: var(--page) }
.search input { flex: 1 1 16rem; min-width: 0; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--card); color: inherit; font: inherit }
.search output { color: var(--soft); font-variant-numeric: tabular-nums }
:focus-visible { outline: 3px solid var(--good); outline-offset: 2px }
ol { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(18rem, 100%), 1fr)); gap: 1rem; align-items: start; margin: 0; padding: 0; list-style: none }
li.job { display: flex; flex-direction: column; overflow: hidden; border: 1px solid var(--line); border-radius: .6rem; background: var(--card); content-visibility: auto; contain-intrinsic-size: auto 26rem }
li.job[hidden] { display: none }
.media { display: grid; gap: 2px; background: var(--well) }
.media:has(> :nth-child(2)) { grid-template-columns: 1fr 1fr }
.media a, .media img, .media video { display: block; width: 100% }
.media img, .media video { height: 14rem; object-fit: contain }
.media:has(> :nth-child(2)) :is(img, video) { height: 8rem }
.media audio { display: block; width: calc(100% - 1.5rem); margin: 1rem .75rem }
.none { display: grid; place-items: center; height: 8rem; color: var(--soft) }
.words { padding: .75rem .9rem .9rem }
h2 { margin: 0; font-size: 1rem; overflow-wrap: anywhere }
.facts { margin: .1rem 0 .5rem; font-size: .85rem; color: var(--soft) }
.state { padding: .05rem .5rem; border: 1px solid; border-radius: 1rem; color: var(--soft) }
.state.good { color: var(--good) }
.state.bad { color: var(--bad) }
.state.warn { color: var(--warn) }
.prompt { margin: .25rem 0; white-space: pre-wrap; overflow-wrap: anywhere }
.prompt.long { max-height: 7.5rem; overflow: auto }
.message { margin: .25rem 0; color: var(--bad); font-size: .9rem; overflow-wrap: anywhere }
.pick { margin: .25rem 0; font-size: .85rem; color: var(--soft) }
.pick code { color: var(--text); overflow-wrap: anywhere; user-select: all }
.message.mild { color: var(--warn) }
.files { margin: .5rem 0 0; padding: 0; list-style: none; font-size: .85rem; overflow-wrap: anywhere }
.files span { color: var(--soft) }
a { color: inherit }
details { margin-top: .5rem; font-size: .85rem }
summary { cursor: pointer; color: var(--soft) }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem .75rem; margin: .35rem 0 0 }
dt { color: var(--soft) }
dd { margin: 0; overflow-wrap: anywhere }
.default { color: var(--soft) }
`
