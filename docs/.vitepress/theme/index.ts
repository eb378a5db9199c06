// The usual theme with the fonts of the reader's own system: nothing is fetched but the site itself.
export { default } from 'vitepress/theme-without-fonts'
