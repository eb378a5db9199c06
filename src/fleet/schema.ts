import { done, paid, takeRight, unsent } from './order-functions.ts'
import { becomePlanner, isAlone, isOpen, isPlanned, others, withdraw } from './planning-functions.ts'
import { alone, gone, lease, tables } from './tables.ts'

/** For so long it is enough that a workflow was taken once. */
const proof = `interval '10 min'`

/** What a ceiling is by now. */
const grown = (row: string) =>
  `${row}.most * power(2, least(20, extract(epoch from clock_timestamp() - ${row}.since)::float8 / 60))`

/** Orders of so short a time are mostly done before anybody has to know that they are under way. */
const soon = `interval '10 s'`

/** How an order stands, and whether its worker was heard lately. */
const standing = `select batch, identity, purchase, attempt, worker, address, request, price::float8, state, detail, run, files, failure,
    billed, record, exists (select from genrun.worker w where w.id = p.worker and w.seen > clock_timestamp() - ${gone}) as near
  from genrun.purchase p`

/** The result of a job that another needs. One need after the other: a plan for several at once may read all of the batch. */
const newest = `select p.record from genrun.purchase p
  where p.batch = w.batch and p.address = need and p.state = 'DONE' and p.record is not null order by p.at desc limit 1`

const forgetSome = (table: string) => `delete from genrun.${table} where batch = $1
    and ctid = any(array(select ctid from genrun.${table} where batch = $1 limit $2)) returning 1`

/** Whoever is dead tells nobody when the order in doubt was let go: the right to send it was taken just before. */
const dated = `case when its.record ->> 'is' = 'doubt' and its.record -> 'since' is null
    then its.record || jsonb_build_object('since', floor(extract(epoch from u.at) * 1000)::bigint) else its.record end as record`

/** Of a purchase `p`. */
const itsUnheard = `select from genrun.unheard u where u.batch = p.batch and u.at = p.at and u.purchase = p.purchase`

const toBeHeard = 'batch, at, purchase, state'

/** Whoever keeps the lock has not heard of what was told just now. */
const unhearTold = `unheard as (insert into genrun.unheard (${toBeHeard}) select ${toBeHeard} from told
      on conflict (batch, at, purchase) do update set state = excluded.state)`

const statements = {
  name: `select name from genrun.store`,
  plan: `select case when exists (select from genrun.batch b where b.batch = $1 and ${isAlone} and b.planner <> $5) then 'another'
    else genrun.plan($1, $2, $3, $4) end as got`,
  // Whose records have what was heard stays as it is.
  alone: `with taken as (insert into genrun.batch as b (batch, planner, queue, seen) values ($1, $2, $3, clock_timestamp())
      on conflict (batch) do update set planner = $2, queue = $3, seen = clock_timestamp()
        where not (${isPlanned}) or b.planner = $2 or (b.checkout = $4 and not starts_with(b.planner, '${alone}')) returning 1)
    select exists (select from taken) as taken`,
  aloneOn: `select b.batch from genrun.batch b where b.queue = $1 and ${isAlone} and b.planner <> $2`,
  planOn: `with kept as (update genrun.batch set seen = clock_timestamp() where batch = $1 and planner = $2 returning 1)
    select exists (select from kept) as kept`,
  leavePlan: `update genrun.batch set planner = null where batch = $1 and planner = $2`,
  isPlanner: `select from genrun.batch where batch = $1 and planner = $2 for share`,
  unhear: `with planned as (update genrun.batch set seen = clock_timestamp() where batch = $1 and planner = $2 returning 1),
    heard as (select batch, at, purchase, state from genrun.purchase p where batch = $1 and state not in ('NOTSENT','REFUSED')
      and exists (select from planned) and not exists (${itsUnheard}) limit $3),
    unheard as (insert into genrun.unheard (batch, at, purchase, state) select batch, at, purchase, state from heard
      on conflict do nothing returning 1)
    select count(*)::int as many from unheard`,
  moved: `update genrun.batch set checkout = $3 where batch = $1 and planner = $2 returning 1`,
  withdraw: `select genrun.withdraw($1, $2, $3, $4) as many`,
  beside: `select (select count(*)::int from genrun.work where batch = $1 and ended is null) as open,
      (select count(*)::int from genrun.unheard where batch = $1) as unheard,
      (select checkout from genrun.batch where batch = $1) as checkout,
      exists (select from genrun.batch b where b.batch = $1 and ${isPlanned}) as "isPlanned"`,
  ordered: `select purchase from genrun.purchase where batch = $1 and purchase > $2 and state not in ('NOTSENT','REFUSED')
    order by purchase limit $3`,
  openOn: `select b.batch from genrun.batch b where b.queue = $1 and ((${isPlanned} and b.planner <> $2) or ${isOpen})
    order by b.seen desc`,
  join: `insert into genrun.worker (id, queue, seen) values ($1, $2, clock_timestamp())
    on conflict (id) do update set seen = excluded.seen`,
  // Found by their keys.
  beat: `with kept as (update genrun.purchase p set seen = clock_timestamp()
      from unnest($2::text[], $3::uuid[]) as air (purchase, attempt)
        cross join lateral (select p.ctid from genrun.purchase p
          where p.purchase = air.purchase and p.attempt = air.attempt and p.state = 'SENDING' offset 0) as sent
      where p.ctid = sent.ctid)
    update genrun.worker set seen = clock_timestamp() where id = $1 returning 1`,
  leave: `delete from genrun.worker where id = $1`,
  workers: `select (count(*) filter (where queue = $1))::int as here, (count(*) filter (where queue <> $1))::int as elsewhere
    from genrun.worker where seen > clock_timestamp() - ${lease}`,
  // Of one batch after the other, so that two who ask for several never wait for each other's budgets crosswise.
  right: `select attempt, genrun.take_right(batch, identity, purchase, attempt, worker, address, request, price, record) as got
    from jsonb_to_recordset($1::jsonb) as each (batch text, identity text, purchase text, attempt uuid, worker text, address text,
      request text, price numeric, record jsonb)
    order by batch`,
  standing: `${standing} where batch = $1 and identity = $2`,
  open: `${standing} where purchase = any($1) and state in ('SENDING','DOUBT','ACCEPTED','RESULT')`,
  settled: `select purchase from genrun.purchase where purchase = any($1) and state in ('NOTSENT','REFUSED','DONE','FAILED')`,
  unsent: `select genrun.unsent($1, $2, $3, $4, $5)`,
  paid: `select told from genrun.paid($1::jsonb)`,
  doubt: `with told as (update genrun.purchase set state = 'DOUBT', detail = $4, record = coalesce($5, record)
    where batch = $1 and identity = $2 and attempt = $3 and state in ('SENDING','ACCEPTED','RESULT')
    returning ${toBeHeard}), ${unhearTold}
    select from told`,
  declareDead: `with told as (update genrun.purchase set state = 'DOUBT', detail = 'its worker went away before there was an answer'
    where batch = $1 and identity = $2 and attempt = $3 and state = 'SENDING' and seen <= clock_timestamp() - ${lease}
    returning ${toBeHeard}), ${unhearTold}
    select from told`,
  done: `select done, ready from genrun.done($1::jsonb)`,
  // One after the other, or two that begin the same at once would not see each other.
  beginAlone: `select pg_advisory_xact_lock(hashtext('genrun begin'))`,
  others: `select many, doubted from genrun.others($1, $2::jsonb, $3)`,
  // Some of what there is, until there is nothing: a statement may take as long as one may.
  forgetNeeds: forgetSome('need'),
  forgetWaits: forgetSome('waits'),
  forgetWorks: forgetSome('work'),
  addWork: `insert into genrun.work (batch, address, nth, identity, queue, needs, task)
    select $1, address, nth, identity, queue, array(select jsonb_array_elements_text(needs)), task
    from jsonb_to_recordset($2::jsonb) as each (address text, nth int, identity text, queue text, needs jsonb, task jsonb)`,
  ready: `select w.address, w.queue, w.nth from genrun.work w where w.batch = $1 and w.ended is null and w.nth >= $2 and not exists
      (select from genrun.waits x where x.batch = w.batch and x.address = w.address and x.left_ > 0)
    order by w.nth limit $3`,
  handed: `select w.address, w.identity, w.queue, w.needs, w.task, w.ended, (select to_jsonb(s) from
      (${standing} where p.batch = w.batch and p.identity = w.identity) s) as standing,
      (select jsonb_object_agg(need, its.record) from unnest(w.needs) as need cross join lateral (${newest}) its) as made,
      coalesce((select x.left_ from genrun.waits x where x.batch = w.batch and x.address = w.address), 0) > 0 as waits
    from unnest($2::text[]) as given (address)
      cross join lateral (select * from genrun.work w where w.batch = $1 and w.address = given.address offset 0) as w`,
  works: `select address, queue, needs, ended, nth from genrun.work where batch = $1 and nth >= $2 order by nth limit $3`,
  ended: `select address, ended from genrun.work where batch = $1 and ended_at > now() - $2::float8 * interval '1 ms'`,
  end: `update genrun.work set ended = $3, ended_at = clock_timestamp() where batch = $1 and address = any($2) and ended is null`,
  known: `select identity from genrun.purchase where batch = $1 and identity = any($2) and state not in ('NOTSENT','REFUSED')`,
  // at: as text it is exact. One record after the other, each by its key: a plan for all at once may read all of the batch.
  unheard: `select u.purchase, u.state, ${dated}, u.at::text from genrun.unheard u
      cross join lateral (select p.record from genrun.purchase p where p.purchase = u.purchase offset 0) as its
    where u.batch = $1 and (u.at, u.purchase) > ($2::timestamptz, $3) and u.state <> 'SENDING' and its.record is not null
      and not ($5::bool and u.state in ('ACCEPTED','RESULT') and u.at > clock_timestamp() - ${soon})
    order by u.at, u.purchase limit $4`,
  sending: `select its.address, u.purchase from genrun.unheard u
      cross join lateral (select p.address from genrun.purchase p where p.purchase = u.purchase offset 0) as its
    where u.batch = $1 and u.state = 'SENDING'`,
  // Found by their keys: a batch may have a million others. By its planner alone: what another one has in its lock this one may not have.
  // What is just being changed is not waited for, as whoever changes several may wait for one of these: it stays unheard.
  hear: `with planned as (select from genrun.batch where batch = $4 and planner = $5 for share)
    delete from genrun.unheard heard using unnest($1::timestamptz[], $2::text[], $3::text[]) as each (at, purchase, state)
      cross join lateral (select u.ctid from genrun.unheard u where u.batch = $4 and u.at = each.at
        and u.purchase = each.purchase and u.state = each.state for update skip locked) as free
    where heard.ctid = free.ctid and exists (select from planned)`,
  budget: `insert into genrun.budget (batch, max_cost, max_orders) values ($1, $2, $3)
    on conflict (batch) do update set max_cost = excluded.max_cost, max_orders = excluded.max_orders`,
  waits: `with given as (select * from unnest($2::text[], $3::text[]) as each (address, needs)),
    waiting as (insert into genrun.waits (batch, address, left_)
      select $1, address, count(distinct needs)::int from given group by address
      on conflict do nothing returning address)
    insert into genrun.need (batch, needs, address)
      select distinct $1, given.needs, given.address from given join waiting on waiting.address = given.address`,
  account: `insert into genrun.rate (account, tat, per_s, burst) values ($1, clock_timestamp(), $2, $3)
    on conflict (account) do update set per_s = excluded.per_s, burst = excluded.burst`,
  take: `with taken as (update genrun.rate
      set tat = greatest(tat, clock_timestamp()) + $2::float8 * interval '1 s' / per_s
      where account = $1
        and greatest(tat, clock_timestamp()) - clock_timestamp() <= (burst - $2::float8) * interval '1 s' / per_s
      returning 1)
    select exists (select from taken) as taken, $2::float8 <= burst as can_be,
      1000 * extract(epoch from tat - clock_timestamp() - (burst - $2::float8) * interval '1 s' / per_s)::float8 as wait_ms
    from genrun.rate where account = $1`,
  canary: `with tried as (insert into genrun.canary as c (account, workflow, worker, state, at)
      values ($1, $2, $3, 'testing', clock_timestamp())
      on conflict (account, workflow) do update set worker = $3, state = 'testing', at = clock_timestamp()
        where c.state = 'new' or (c.state = 'proven' and c.at <= clock_timestamp() - ${proof})
          or (c.state = 'testing' and not exists (select from genrun.worker w where w.id = c.worker and w.seen > clock_timestamp() - ${lease}))
      returning 1)
    select exists (select from tried) as tests,
      exists (select from genrun.canary where account = $1 and workflow = $2 and state = 'proven') as proven`,
  tested: `update genrun.canary set state = $4, at = clock_timestamp()
    where account = $1 and workflow = $2 and worker = $3 and state = 'testing'`,
  busy: `insert into genrun.ceiling as c (account, most, since)
    values ($1, greatest(1, (select count(*) from genrun.unheard where state = 'SENDING') / 2.0), clock_timestamp())
    on conflict (account) do update set since = clock_timestamp(), most = greatest(1, least(${grown('c')}, excluded.most * 2) / 2)
      where c.since <= clock_timestamp() - interval '2 s'`,
  room: `select ${grown('c')} / greatest(1, (select count(*) from genrun.worker where seen > clock_timestamp() - ${lease})) as each
    from genrun.ceiling c where account = $1 and c.since > clock_timestamp() - interval '1 hour'`,
  counts: `select state, count(*)::int as many from genrun.purchase where batch = $1 group by state`,
  silent: `select its.address, its.worker, extract(epoch from clock_timestamp() - w.seen)::int as seconds
    from genrun.work k cross join lateral (select p.address, p.worker, p.at from genrun.purchase p
        where p.address = k.address and p.batch = k.batch and p.state in ('SENDING','ACCEPTED','RESULT') offset 0) as its
      left join genrun.worker w on w.id = its.worker
    where k.batch = $1 and k.ended is null and coalesce(w.seen <= clock_timestamp() - ${lease}, true) order by its.at limit 20`,
  doubts: `select purchase, address, detail, not exists (${itsUnheard}) as heard from genrun.purchase p where batch = $1 and state = 'DOUBT' order by at limit $2`,
  status: `select (select count(*)::int from genrun.waits x where x.batch = $1 and x.left_ > 0 and exists
        (select from genrun.work w where w.batch = x.batch and w.address = x.address and w.ended is null)) as waiting,
      (select count(*)::int from genrun.worker where seen > clock_timestamp() - ${lease}) as workers,
      (select count(*)::int from genrun.work where batch = $1) as all_jobs,
      (select count(ended)::int from genrun.work where batch = $1) as ended,
      (select count(*)::int from genrun.work where batch = $1 and ended ->> 'is' = 'skipped') as skipped,
      coalesce((select cost::float8 from genrun.budget where batch = $1), 0) as cost,
      coalesce((select orders from genrun.budget where batch = $1), 0) as orders`,
} as const

/** All that the store says to the server. Tests put weaker ones in its place. */
export interface FleetSql {
  /** Made as one, where there is none. */
  readonly schema: readonly string[]
  readonly statements: { readonly [name in keyof typeof statements]: string }
}

export const fleetSql: FleetSql = {
  schema: [
    'create schema if not exists genrun',
    ...tables,
    takeRight,
    unsent,
    paid,
    done,
    becomePlanner,
    withdraw,
    others,
  ],
  statements,
}
