import type { JobAddress } from '../../src/base/names.ts'
import { openConnections } from '../../src/fleet/connections.ts'
import type { FleetStore } from '../../src/fleet/fleet-store.ts'
import { type FleetSql, fleetSql } from '../../src/fleet/schema.ts'

/** A store that is weaker in one point, and the part of the contract that must be seen broken because of it. */
export interface Breakage {
  readonly name: string
  /** Words of the case's name. */
  readonly breaks: string
  readonly sql?: FleetSql
  readonly weaken?: (store: FleetStore, url: string) => FleetStore
}

/** Each text is replaced wherever it stands; one that stands nowhere is a mistake of this table. */
function without(...changes: readonly (readonly [text: string, other: string])[]): FleetSql {
  const whole = JSON.stringify(fleetSql)
  const weaker = changes.reduce((sql, [text, other]) => {
    const [from, to] = [text, other].map(each => JSON.stringify(each).slice(1, -1)) as [string, string]
    if (!sql.includes(from)) throw new Error(`nowhere: ${text}`)
    return sql.replaceAll(from, to)
  }, whole)
  return JSON.parse(weaker) as FleetSql
}

export const breakages: readonly Breakage[] = [
  {
    name: 'the right is had without a lease',
    breaks: 'without a lease',
    sql: without([
      `w.id = in_worker and w.seen > clock_timestamp() - interval '10 s'`,
      'true or w.id = in_worker',
    ]),
  },
  {
    name: 'the budget is looked at, and then taken from apart',
    breaks: 'over the budget',
    sql: without([
      `update genrun.budget b set cost = b.cost + in_price, orders = b.orders + 1
    where b.batch = in_batch and (b.max_cost is null or b.cost + in_price <= b.max_cost)
      and (b.max_orders is null or b.orders < b.max_orders);
  if not found then return 'over budget'; end if;`,
      `perform from genrun.budget b
    where b.batch = in_batch and (b.max_cost is null or b.cost + in_price <= b.max_cost)
      and (b.max_orders is null or b.orders < b.max_orders);
  if found then
    perform pg_sleep(0.01);
    update genrun.budget b set cost = b.cost + in_price, orders = b.orders + 1 where b.batch = in_batch;
  else
    return 'over budget';
  end if;`,
    ]),
  },
  {
    name: 'the price is not given back by who came second',
    breaks: 'of many who want one order',
    sql: without(
      ['update genrun.budget b set cost = b.cost - in_price', 'update genrun.budget b set cost = b.cost'],
      // So that they come to it together.
      ['select p.attempt, p.state into', 'perform pg_sleep(0.05); select p.attempt, p.state into'],
      [`its_state not in ('NOTSENT','REFUSED')`, 'false'],
    ),
  },
  {
    name: 'who comes second has the right as well',
    breaks: 'of many who want one order',
    sql: without(
      [`where p.state in ('NOTSENT','REFUSED')`, ''],
      [`its_state not in ('NOTSENT','REFUSED')`, `its_state not in ('NOTSENT','REFUSED','SENDING')`],
    ),
  },
  {
    name: 'a doubt is ordered again by itself',
    breaks: 'after anything that may be paid for',
    sql: without(
      [`its_state not in ('NOTSENT','REFUSED')`, `its_state not in ('NOTSENT','REFUSED','DOUBT')`],
      [`where p.state in ('NOTSENT','REFUSED')`, `where p.state in ('NOTSENT','REFUSED','DOUBT')`],
    ),
  },
  {
    name: 'what becomes of an attempt becomes of whichever is there',
    breaks: 'gives its price back once',
    sql: without([
      `and p.attempt = in_attempt and p.state in ('SENDING','DOUBT')`,
      `and p.state in ('SENDING','DOUBT')`,
    ]),
  },
  {
    name: 'ACCEPTED is an exception when the store is away',
    breaks: 'through a crash',
    weaken: acceptedOnce,
  },
  {
    name: 'ACCEPTED is an exception when there is no connection',
    breaks: 'no connection to be had',
    weaken: acceptedOnce,
  },
  {
    name: 'a doubt that was declared stays one',
    breaks: 'lifts a doubt',
    sql: without([`p.state = any(each.before)`, `p.state = any(each.before) and p.state <> 'DOUBT'`]),
  },
  {
    name: 'a doubt is declared while the worker has its lease',
    breaks: 'of a dead worker',
    sql: without([`state = 'SENDING' and seen <= clock_timestamp() - interval '10 s'`, `state = 'SENDING'`]),
  },
  {
    name: 'DONE is one thing and enqueueing another',
    breaks: 'are one',
    weaken: (store, url) => ({
      ...store,
      async done(sent, files, enqueue) {
        let found: readonly JobAddress[] = []
        const done = await store.done(sent, files, async ready => {
          found = ready
        })
        const connections = await openConnections(url)
        try {
          if (found.length > 0) await connections.together(ask => enqueue(found, ask))
        } finally {
          await connections.close()
        }
        return done
      },
    }),
  },
  {
    name: 'a need is met as often as it is said',
    breaks: 'counts down and enqueues once',
    sql: without([
      `delete from genrun.need n where n.batch = each.batch and n.needs = each.needed returning n.address`,
      `select n.address from genrun.need n where n.batch = each.batch and n.needs = each.needed`,
    ]),
  },
  {
    name: 'needs that are met together count as one',
    breaks: 'told together',
    sql: without([`left_ = w.left_ - each.many`, `left_ = w.left_ - 1`]),
  },
  {
    name: 'whoever hears waits for those who change',
    breaks: 'while it is heard',
    sql: without([`for update skip locked`, `for update`]),
  },
  {
    name: 'whatever became of an order since it was told counts as heard',
    breaks: 'while it is heard',
    sql: without([`and u.state = each.state for`, 'for']),
  },
  {
    name: 'each run under way is told at once',
    breaks: 'while it is heard',
    sql: without([`and not ($5::bool and`, `and ($5::bool is null or true or`]),
  },
  {
    name: 'what was not sent waits to be heard',
    breaks: 'gives its price back once',
    sql: without([
      `delete from genrun.unheard u where u.batch = in_batch and u.at = its_at and u.purchase = its_purchase;`,
      '',
    ]),
  },
  {
    name: 'what lies with a worker is nobody’s as soon as it is silent',
    breaks: 'is near for a minute',
    sql: without([`interval '1 min'`, `interval '10 s'`]),
  },
  {
    name: 'each worker tries a workflow for itself',
    breaks: 'first order of a workflow',
    sql: without([`where c.state = 'new' or`, `where true or`]),
  },
  {
    name: 'who tries a workflow and dies keeps all others waiting',
    breaks: 'first order of a workflow',
    sql: without([`w.id = c.worker and w.seen > clock_timestamp() - interval '10 s'`, 'w.id = c.worker']),
  },
  {
    name: 'each answer of a busy moment halves what may be on its way',
    breaks: 'a busy service lowers',
    sql: without([`where c.since <= clock_timestamp() - interval '2 s'`, '']),
  },
  {
    name: 'the right is had to what nobody wants any more',
    breaks: 'is withdrawn',
    sql: without([
      `if not exists (select from genrun.work w`,
      `if false and not exists (select from genrun.work w`,
    ]),
  },
  {
    name: 'what is withdrawn is looked for beside those who order',
    breaks: 'is withdrawn',
    sql: without(
      [
        `  perform from genrun.budget b where b.batch = in_batch for update;\n  with unordered`,
        '  with unordered',
      ],
      // So that somebody is between the look and the right.
      [
        `  insert into genrun.purchase as p\n`,
        `  perform pg_sleep(0.05);\n  insert into genrun.purchase as p\n`,
      ],
    ),
  },
  {
    name: 'whoever plans from another checkout counts as heard what the one before heard',
    breaks: 'hears all anew',
    sql: without([`then 'planned' else 'moved' end`, `then 'planned' else 'planned' end`]),
  },
  {
    name: 'two checkouts plan at once',
    breaks: 'hears all anew',
    sql: without([`return 'another';`, 'null;']),
  },
  {
    name: 'who lost a batch says of it what was heard',
    breaks: 'hears all anew',
    sql: without([`heard.ctid = free.ctid and exists (select from planned)`, 'heard.ctid = free.ctid']),
  },
  {
    name: 'two that begin at once do not see each other',
    breaks: 'come to the same',
    sql: without(
      [`select pg_advisory_xact_lock(hashtext('genrun begin'))`, 'select 1'],
      // So that one looks before the other has written, however late it comes.
      [
        `  select count(*) into doubted from`,
        `  perform pg_sleep(0.2);\n  select count(*) into doubted from`,
      ],
    ),
  },
  {
    name: 'what is on its way in another batch is no reason to wait',
    breaks: 'come to the same',
    sql: without([`w.batch <> in_batch and w.ended is null and (w.identity`, `false and (w.identity`]),
  },
  {
    name: 'what is on its way counts by what it is made from alone',
    breaks: 'on the way or in doubt',
    sql: without([`or w.address = mine.address`, `or false and w.address = mine.address`]),
  },
  {
    name: 'a doubt of another batch is no reason to wait',
    breaks: 'on the way or in doubt',
    sql: without([`p.batch <> in_batch and p.state = 'DOUBT'`, `false`]),
  },
  {
    name: 'the rate is one for each question',
    breaks: 'rate holds',
    sql: without([
      `<= (burst - $2::float8) * interval '1 s' / per_s\n      returning`,
      'is not null\n      returning',
    ]),
  },
]

function acceptedOnce(store: FleetStore, url: string): FleetStore {
  return {
    ...store,
    async accepted(sent, run) {
      const connections = await openConnections(url)
      try {
        const values = [sent.batch, sent.identity, sent.attempt, JSON.stringify(run)]
        await connections.ask(
          `update genrun.purchase set state = 'ACCEPTED', run = $4
            where batch = $1 and identity = $2 and attempt = $3 and state in ('SENDING','DOUBT')`,
          values,
        )
        return 'recorded'
      } finally {
        await connections.close()
      }
    },
  }
}
