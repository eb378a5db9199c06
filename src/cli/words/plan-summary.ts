import { amountText, counted } from '../../base/measure.ts'

import type { PlanRecord, StepRecord } from '../../planning/plan-record.ts'
import { codeSpan, markdown } from '../../reports/markdown.ts'
import { aboutText } from './about-cost.ts'
import { boughtText } from './plan-text.ts'

const mostRows = 50

/** The plan as Markdown for a pull request: one sentence, then the table of what is bought and what needs a person. */
export function planSummary(plan: PlanRecord, isRehearsal = false): string {
  const shown = plan.steps.filter(step => step.do !== 'keep' && step.do !== 'adopt')
  const rows = shown.slice(0, mostRows).map(step => rowText(step, plan, isRehearsal))
  const hidden = shown.length - rows.length
  const table = [`| | job | model | cost | why |`, '|---|---|---|---|---|', ...rows]
  return [
    `### ${markdown(plan.name)}`,
    `**${sentence(plan, isRehearsal)}**`,
    ...(rows.length > 0 ? [table.join('\n')] : []),
    ...(hidden > 0 ? [`… and ${counted(hidden, 'more job')}`] : []),
    ...plan.cost.unknown.map(why => `Not known: ${markdown(why)}.`),
    ...plan.remarks.map(remark => `${markdown(remark)}.`),
  ].join('\n\n')
}

function sentence(plan: PlanRecord, isRehearsal: boolean): string {
  const does = isRehearsal ? 'A rehearsal of this change makes' : 'This change buys'
  if (plan.paid === 0) return `${does} nothing.`
  const again =
    plan.again > 0
      ? `; ${plan.again} of them ${plan.again === 1 ? 'replaces' : 'replace'} what is ${isRehearsal ? 'there' : 'paid for'} already`
      : ''
  return `${does} ${boughtText(plan)}${aboutText(plan)}${again}.`
}

function rowText(step: StepRecord, { cost: { currency } }: PlanRecord, isRehearsal: boolean): string {
  const { cost } = step
  const price =
    cost?.is === 'known' && currency !== undefined
      ? amountText(cost.amount, currency)
      : step.do === 'buy' && currency !== undefined
        ? 'not known'
        : ''
  const cells = [step.model ?? '', price, step.because.join('; ')].map(markdown)
  const word = isRehearsal && step.do === 'buy' ? 'make' : words[step.do]
  return `| ${[word, codeSpan(step.address), ...cells].join(' | ')} |`
}

const words: { readonly [what in StepRecord['do']]: string } = {
  buy: 'buy',
  keep: 'keep',
  resume: 'resume',
  fetch: 'fetch',
  restore: 'restore',
  adopt: 'adopt',
  hold: '**held**',
  doubt: '**in doubt**',
  aside: 'keep aside',
  drop: 'drop',
}
