/**
 * What the gallery does by itself: it filters by words, and loads the heads of clips only when they come near. Without it
 * everything can still be seen. Its hash stands in the page's content security policy.
 */
export const galleryScript = `
const box = document.querySelector('input[type=search]')
const count = document.querySelector('output')
const all = count.textContent
const jobs = [...document.querySelectorAll('li.job')].map(element => ({ element, text: element.textContent.toLowerCase() }))
function filter() {
  const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean)
  let shown = 0
  for (const { element, text } of jobs) {
    const fits = words.every(word => word.startsWith('-') && word.length > 1 ? !text.includes(word.slice(1)) : text.includes(word))
    element.hidden = !fits
    if (fits) shown++
  }
  count.textContent = shown === jobs.length ? all : shown + ' of ' + all
  try { history.replaceState(null, '', box.value ? '#' + encodeURIComponent(box.value) : location.pathname) } catch {}
}
box.addEventListener('input', filter)
document.addEventListener('keydown', event => {
  if (event.key === '/' && document.activeElement !== box) { event.preventDefault(); box.focus() }
})
try { box.value = decodeURIComponent(location.hash.slice(1)) } catch {}
filter()
const near = new IntersectionObserver(entries => {
  for (const { isIntersecting, target } of entries) if (isIntersecting) { target.preload = 'metadata'; near.unobserve(target) }
}, { rootMargin: '600px' })
for (const clip of document.querySelectorAll('video, audio')) near.observe(clip)
`
