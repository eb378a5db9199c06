/**
 * The fleet's records, in a schema of their own: who works, what may be spent and how fast, what was ordered and what became
 * of it, and who waits for whom. All dates are the server's, and every decision about money is made there.
 */

/** Of the tables: a store that another version made is not touched. */
export const fleetVersion = 4

/** A worker without a heartbeat for so long holds nothing any more, nor does an attempt that nobody keeps up. */
const lease = `interval '10 s'`

/**
 * Of a worker that was not heard for so long nobody waits for what lies on its disk. A right to send is good for less than a lease
 * (`rightMs` in `right.ts`): what is called dead after one cannot be sent any more.
 */
const gone = `interval '1 min'`

/** For so long it is enough that a workflow was taken once. */
const proof = `interval '10 min'`

/** What a ceiling is by now. */
const grown = (row: string) =>
  `${row}.most * power(2, least(20, extract(epoch from clock_timestamp() - ${row}.since)::float8 / 60))`

const tables = [
  `create table if not exists genrun.version (one boolean primary key default true check (one), version int not null)`,
  `insert into genrun.version (version) values (${fleetVersion}) on conflict do nothing`,
  // Another database that has all the same tables is another store.
  `create table if not exists genrun.store (one boolean primary key default true check (one), name text not null)`,
  `insert into genrun.store (name) values (md5(random()::text || clock_timestamp()::text)) on conflict do nothing`,
  // planner: the one run that plans the batch, with a lease like a worker's; checkout: whose records hold what was heard; queue: of the
  // text that was planned last.
  `create table if not exists genrun.batch (
     batch text primary key, queue text not null, planner text, checkout text, seen timestamptz not null) with (fillfactor = 50)`,
  `create index if not exists batch_queue on genrun.batch (queue)`,
  // queue: where it takes its jobs from.
  `create table if not exists genrun.worker (id text primary key, queue text not null, seen timestamptz not null)
     with (fillfactor = 50)`,
  // Of a cap that is null there is no end.
  `create table if not exists genrun.budget (
     batch text primary key,
     max_cost numeric, cost numeric not null default 0,
     max_orders int, orders int not null default 0) with (fillfactor = 50)`,
  // tat: the date at which all that was taken is worked off (the theoretical arrival time of GCRA).
  `create table if not exists genrun.rate (
     account text primary key, tat timestamptz not null, per_s float8 not null, burst float8 not null)
     with (fillfactor = 50)`,
  // The first order of a workflow: who sends it, and whether it was taken.
  `create table if not exists genrun.canary (
     account text, workflow text, worker text not null, state text not null, at timestamptz not null, primary key (account, workflow))`,
  // most: orders on their way at once, over all workers, when it was lowered.
  `create table if not exists genrun.ceiling (account text primary key, most float8 not null, since timestamptz not null)`,
  // identity: what was ordered, never a job's name; what a person orders anew has another number in it. purchase: the key that every
  // attempt sends. at: when the right was taken. seen: the attempt's own lease. record: as a lock has it. heard: by whoever keeps the
  // lock, as it stands now.
  `create table if not exists genrun.purchase (
     batch text, identity text,
     purchase text not null, attempt uuid not null, worker text not null, address text not null, request text not null, price numeric not null,
     tries int not null default 1,
     state text not null
       check (state in ('SENDING','NOTSENT','REFUSED','ACCEPTED','DOUBT','RESULT','DONE','FAILED')),
     detail text, run jsonb, files jsonb, failure jsonb, billed text, record jsonb, heard boolean not null default false,
     at timestamptz not null default clock_timestamp(), seen timestamptz not null default clock_timestamp(),
     primary key (batch, identity))`,
  `create index if not exists purchase_unheard on genrun.purchase (batch, at, purchase) where not heard`,
  `create index if not exists purchase_key on genrun.purchase (purchase)`,
  // The address first: as long as a server knows nothing of a table, it takes any index that begins with the batch for as good as the key.
  `drop index if exists genrun.purchase_address`,
  `create index if not exists purchase_job on genrun.purchase (address, batch)`,
  `create index if not exists purchase_sending on genrun.purchase (worker) where state = 'SENDING'`,
  `create table if not exists genrun.waits (
     batch text, address text, left_ int not null, primary key (batch, address))`,
  `create table if not exists genrun.need (batch text, needs text, address text, primary key (batch, needs, address))`,
  // What a batch has to make, in order. ended: what became of it, once nothing more will.
  `create table if not exists genrun.work (
     batch text, address text, nth int not null, identity text not null, queue text not null, needs text[] not null,
     task jsonb not null, ended jsonb, ended_at timestamptz, primary key (batch, address))`,
  `create index if not exists work_nth on genrun.work (batch, nth)`,
  `create index if not exists work_ended on genrun.work (batch, ended_at)`,
  `create index if not exists work_identity on genrun.work (identity) where ended is null`,
  `create index if not exists work_address on genrun.work (address) where ended is null and needs <> '{}'`,
  `create index if not exists purchase_doubt on genrun.purchase (identity) where state = 'DOUBT'`,
]

/**
 * The right to send, with lease and budget: one statement, one durable commit. Asked again by the same attempt it answers the same.
 * The budget's row is locked before the purchase's, here and in `unsent`.
 */
const takeRight = `create or replace function genrun.take_right(
    in_batch text, in_identity text, in_purchase text, in_attempt uuid, in_worker text, in_address text, in_request text,
    in_price numeric, in_record jsonb)
  returns text language plpgsql as $$
declare
  its_attempt uuid;
  its_state text;
begin
  select p.attempt, p.state into its_attempt, its_state from genrun.purchase p
    where p.batch = in_batch and p.identity = in_identity;
  if its_attempt = in_attempt and its_state = 'SENDING' then return 'right'; end if;

  if not exists (select from genrun.worker w where w.id = in_worker and w.seen > clock_timestamp() - ${lease}) then
    return 'no lease';
  end if;
  if its_state not in ('NOTSENT','REFUSED') then return 'taken'; end if;

  update genrun.budget b set cost = b.cost + in_price, orders = b.orders + 1
    where b.batch = in_batch and (b.max_cost is null or b.cost + in_price <= b.max_cost)
      and (b.max_orders is null or b.orders < b.max_orders);
  if not found then return 'over budget'; end if;

  -- Asked with the budget's row in hand, as genrun.withdraw has it: nobody orders what nobody wants any more.
  if not exists (select from genrun.work w where w.batch = in_batch and w.address = in_address and w.ended is null
      and (in_identity = w.identity or starts_with(in_identity, w.identity || '~'))) then
    update genrun.budget b set cost = b.cost - in_price, orders = b.orders - 1 where b.batch = in_batch;
    return 'unwanted';
  end if;

  insert into genrun.purchase as p
      (batch, identity, purchase, attempt, worker, address, request, price, record, state)
    values (in_batch, in_identity, in_purchase, in_attempt, in_worker, in_address, in_request, in_price, in_record, 'SENDING')
    on conflict (batch, identity) do update
      set attempt = in_attempt, worker = in_worker, address = in_address, request = in_request, price = in_price,
          record = in_record, heard = false, state = 'SENDING', detail = null, tries = p.tries + 1, at = clock_timestamp(), seen = clock_timestamp()
      where p.state in ('NOTSENT','REFUSED');
  if found then return 'right'; end if;
  -- Two took it in one instant: the other has it.
  update genrun.budget b set cost = b.cost - in_price, orders = b.orders - 1 where b.batch = in_batch;
  return 'taken';
end $$`

/** No byte left, or it was definitely refused: the price is free again. It proves as much when a doubt was declared meanwhile. */
const unsent = `create or replace function genrun.unsent(
    in_batch text, in_identity text, in_attempt uuid, in_state text, in_detail text)
  returns void language plpgsql as $$
declare
  given numeric;
begin
  perform from genrun.budget b where b.batch = in_batch for update;
  update genrun.purchase p set state = in_state, detail = in_detail
    where p.batch = in_batch and p.identity = in_identity and p.attempt = in_attempt and p.state in ('SENDING','DOUBT')
    returning p.price into given;
  if found then
    update genrun.budget b set cost = b.cost - given, orders = b.orders - 1 where b.batch = in_batch;
  end if;
end $$`

/**
 * Orders whose files are saved, several at once: `done` are those that were paid for, `ready` those of their dependants that wait for
 * nothing more. A need is met once, however often and by whomever it is said. Rows are locked in one order, or two that are told at
 * once would wait for each other.
 */
const done = `create or replace function genrun.done(given jsonb, out done int[], out ready jsonb)
  language plpgsql as $$
declare
  each record;
  met jsonb[] := '{}';
  its_met jsonb[];
  its_left int;
begin
  done := '{}';
  ready := '[]';
  for each in select * from jsonb_to_recordset(given) as one (nth int, batch text, identity text, address text, needed text,
      files jsonb, record jsonb, state jsonb) order by batch, identity loop
    update genrun.purchase p set state = 'DONE', files = case when p.state = 'DONE' then p.files else each.files end,
        record = case when p.state = 'DONE' then p.record else coalesce(each.record, p.record) end, heard = p.heard and p.state = 'DONE'
      where p.batch = each.batch and p.identity = each.identity and p.state in ('ACCEPTED','RESULT','DONE');
    continue when not found;
    done := done || each.nth;
    update genrun.work w set ended = each.state, ended_at = clock_timestamp()
      where w.batch = each.batch and w.address = each.address and w.ended is null;
    with gone as (delete from genrun.need n where n.batch = each.batch and n.needs = each.needed returning n.address)
      select array_agg(jsonb_build_object('batch', each.batch, 'address', address)) into its_met from gone;
    met := met || its_met;
  end loop;
  for each in select one ->> 'batch' as batch, one ->> 'address' as address, count(*)::int as many
      from unnest(met) as one group by 1, 2 order by 1, 2 loop
    update genrun.waits w set left_ = w.left_ - each.many where w.batch = each.batch and w.address = each.address
      returning w.left_ into its_left;
    if its_left = 0 then ready := ready || jsonb_build_object('batch', each.batch, 'address', each.address); end if;
  end loop;
end $$`

/** Somebody plans a batch just now. */
const isPlanned = `b.planner is not null and b.seen > clock_timestamp() - ${lease}`

/** Of a batch something is handed out, or bought and in no lock, or in doubt, or somebody plans it. */
const isOpen = `(${isPlanned} or exists (select from genrun.work w where w.batch = b.batch and w.ended is null)
    or exists (select from genrun.purchase p where p.batch = b.batch and (not p.heard and p.state not in ('NOTSENT','REFUSED') or p.state = 'DOUBT')))`

/** One planner of a batch at a time; within a checkout the claim sees to that. `moved`: another checkout planned last. */
const plan = `create or replace function genrun.plan(in_batch text, in_planner text, in_checkout text, in_queue text)
  returns text language plpgsql as $$
declare
  its genrun.batch;
begin
  insert into genrun.batch (batch, queue, planner, checkout, seen)
    values (in_batch, in_queue, in_planner, in_checkout, clock_timestamp()) on conflict (batch) do nothing;
  select * into its from genrun.batch b where b.batch = in_batch for update;
  if its.planner <> in_planner and its.checkout is distinct from in_checkout and its.seen > clock_timestamp() - ${lease} then
    return 'another';
  end if;
  update genrun.batch b set planner = in_planner, queue = in_queue, seen = clock_timestamp() where b.batch = in_batch;
  return case when its.checkout = in_checkout then 'planned' else 'moved' end;
end $$`

/**
 * Ends jobs that nobody has ordered, and tells how many. With the budget's row in hand, as whoever takes a right has it; what was
 * ordered just before is seen by the second statement.
 */
const withdraw = `create or replace function genrun.withdraw(in_batch text, in_planner text, in_state jsonb, in_many int)
  returns int language plpgsql as $$
declare
  many int;
begin
  perform from genrun.batch b where b.batch = in_batch and b.planner = in_planner for share;
  if not found then return 0; end if;
  perform from genrun.budget b where b.batch = in_batch for update;
  with unordered as (select w.address from genrun.work w where w.batch = in_batch and w.ended is null and not exists
      (select from genrun.purchase p where p.batch = w.batch and p.identity = w.identity and p.state not in ('NOTSENT','REFUSED'))
    order by w.nth limit in_many)
  update genrun.work w set ended = in_state, ended_at = clock_timestamp() from unordered
    where w.batch = in_batch and w.address = unordered.address and w.ended is null;
  get diagnostics many = row_count;
  return many;
end $$`

/**
 * How many jobs of other batches come to the same as these, and are ordered or planned just now, or in doubt (`doubted`, of which a
 * person may know better). What an order is made from may not be known yet where it was handed out: then it is the same that has the
 * address and asks for the same of the same model. Those that nobody plans and nobody has ordered are ended: whoever wants them has
 * them from this batch.
 */
const others = `create or replace function genrun.others(in_batch text, given jsonb, in_state jsonb, out many int, out doubted int)
  language plpgsql as $$
declare
  in_identities text[] := array(select each ->> 'identity' from jsonb_array_elements(given) each);
begin
  perform from genrun.budget b where b.batch in (select w.batch from genrun.work w
      where w.identity = any(in_identities) and w.batch <> in_batch and w.ended is null)
    order by b.batch for update;
  update genrun.work w set ended = in_state, ended_at = clock_timestamp()
    where w.identity = any(in_identities) and w.batch <> in_batch and w.ended is null
      and not exists (select from genrun.batch b where b.batch = w.batch and ${isPlanned})
      and not exists (select from genrun.purchase p where p.batch = w.batch and p.identity = w.identity and p.state not in ('NOTSENT','REFUSED'));
  select count(*) into many from jsonb_to_recordset(given) as mine (identity text, address text, task jsonb) where exists (
    select from genrun.work w where w.batch <> in_batch and w.ended is null and (w.identity = mine.identity
      or w.address = mine.address and w.needs <> '{}' and w.task -> 'recipe' -> 'model' = mine.task -> 'recipe' -> 'model'
        and w.task -> 'recipe' -> 'params' = mine.task -> 'recipe' -> 'params' and exists (select from genrun.purchase p
          where p.batch = w.batch and p.identity = w.identity and p.state not in ('NOTSENT','REFUSED'))));
  select count(*) into doubted from genrun.purchase p
    where p.identity = any(in_identities) and p.batch <> in_batch and p.state = 'DOUBT';
end $$`

/** How an order stands, and whether its worker was heard lately. */
const standing = `select batch, identity, purchase, attempt, worker, address, request, price::float8, state, detail, run, files, failure,
    billed, record, exists (select from genrun.worker w where w.id = p.worker and w.seen > clock_timestamp() - ${gone}) as near
  from genrun.purchase p`

/** The result of a job that another needs. One need after the other: a plan for several at once may read all of the batch. */
const newest = `select p.record from genrun.purchase p
  where p.batch = w.batch and p.address = need and p.state = 'DONE' and p.record is not null order by p.at desc limit 1`

const forgetSome = (table: string) => `delete from genrun.${table} where batch = $1
    and ctid = any(array(select ctid from genrun.${table} where batch = $1 limit $2)) returning 1`

const statements = {
  name: `select name from genrun.store`,
  plan: `select genrun.plan($1, $2, $3, $4) as got`,
  planOn: `with kept as (update genrun.batch set seen = clock_timestamp() where batch = $1 and planner = $2 returning 1)
    select exists (select from kept) as kept`,
  leavePlan: `update genrun.batch set planner = null where batch = $1 and planner = $2`,
  isPlanner: `select from genrun.batch where batch = $1 and planner = $2 for share`,
  unhear: `with planned as (update genrun.batch set seen = clock_timestamp() where batch = $1 and planner = $2 returning 1),
    heard as (select identity from genrun.purchase where batch = $1 and heard and exists (select from planned) limit $3),
    unheard as (update genrun.purchase p set heard = false from heard h where p.batch = $1 and p.identity = h.identity returning 1)
    select count(*)::int as many from unheard`,
  moved: `update genrun.batch set checkout = $3 where batch = $1 and planner = $2 returning 1`,
  withdraw: `select genrun.withdraw($1, $2, $3, $4) as many`,
  beside: `select (select count(*)::int from genrun.work where batch = $1 and ended is null) as open,
      (select count(*)::int from genrun.purchase where batch = $1 and not heard and state not in ('NOTSENT','REFUSED')) as unheard,
      (select checkout from genrun.batch where batch = $1) as checkout,
      exists (select from genrun.batch b where b.batch = $1 and ${isPlanned}) as "isPlanned"`,
  ordered: `select purchase from genrun.purchase where batch = $1 and purchase > $2 and state not in ('NOTSENT','REFUSED')
    order by purchase limit $3`,
  openOn: `select b.batch from genrun.batch b where b.queue = $1 and ${isOpen} order by b.seen desc`,
  join: `insert into genrun.worker (id, queue, seen) values ($1, $2, clock_timestamp())
    on conflict (id) do update set seen = excluded.seen`,
  beat: `with kept as (update genrun.purchase set seen = clock_timestamp()
      where worker = $1 and attempt = any($2::uuid[]) and state = 'SENDING')
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
  // Inserted where a fail-over lost the row: what is paid for is recorded whatever was there before.
  paid: `insert into genrun.purchase as p (batch, identity, purchase, attempt, worker, address, request, price,
      record, state, run, files, failure, billed)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
    on conflict (batch, identity) do update
      set state = excluded.state, run = coalesce(excluded.run, p.run), files = coalesce(excluded.files, p.files),
          failure = excluded.failure, billed = excluded.billed, detail = null,
          record = coalesce(excluded.record, p.record), heard = false
      where p.attempt = excluded.attempt and p.state = any($15)
    returning 1`,
  doubt: `update genrun.purchase set state = 'DOUBT', detail = $4, record = coalesce($5, record), heard = false
    where batch = $1 and identity = $2 and attempt = $3 and state in ('SENDING','ACCEPTED','RESULT')`,
  declareDead: `update genrun.purchase set state = 'DOUBT', detail = 'its worker went away before there was an answer', heard = false
    where batch = $1 and identity = $2 and attempt = $3 and state = 'SENDING' and seen <= clock_timestamp() - ${lease}
    returning 1`,
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
  work: `select address, identity, queue, needs, task, ended, (select to_jsonb(s) from
      (${standing} where p.batch = w.batch and p.identity = w.identity) s) as standing,
      (select jsonb_object_agg(need, its.record) from unnest(w.needs) as need cross join lateral (${newest}) its) as made
    from genrun.work w where batch = $1 and address = $2`,
  works: `select address, queue, needs, ended, nth from genrun.work where batch = $1 and nth >= $2 order by nth limit $3`,
  ended: `select address, ended from genrun.work where batch = $1 and ended_at > now() - $2::float8 * interval '1 ms'`,
  end: `update genrun.work set ended = $3, ended_at = clock_timestamp() where batch = $1 and address = any($2) and ended is null`,
  known: `select identity from genrun.purchase where batch = $1 and identity = any($2) and state not in ('NOTSENT','REFUSED')`,
  // at: as text it is exact.
  unheard: `select purchase, state, record, at::text from genrun.purchase
    where batch = $1 and not heard and (at, purchase) > ($2::timestamptz, $3) and record is not null
      and state not in ('NOTSENT','REFUSED','SENDING')
    order by at, purchase limit $4`,
  // Found by their keys: a batch may have a million others. By its planner alone: what another one has in its lock this one may not have.
  // What is just being changed is not waited for, as whoever changes several may wait for one of these: it stays unheard.
  hear: `with planned as (select from genrun.batch where batch = $3 and planner = $4 for share)
    update genrun.purchase p set heard = true from unnest($1::text[], $2::text[]) as each (purchase, state)
      cross join lateral (select p.ctid from genrun.purchase p
        where p.purchase = each.purchase and p.state = each.state for update skip locked) as free
    where p.ctid = free.ctid and exists (select from planned)`,
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
    values ($1, greatest(1, (select count(*) from genrun.purchase where state = 'SENDING') / 2.0), clock_timestamp())
    on conflict (account) do update set since = clock_timestamp(), most = greatest(1, least(${grown('c')}, excluded.most * 2) / 2)
      where c.since <= clock_timestamp() - interval '2 s'`,
  room: `select ${grown('c')} / greatest(1, (select count(*) from genrun.worker where seen > clock_timestamp() - ${lease})) as each
    from genrun.ceiling c where account = $1 and c.since > clock_timestamp() - interval '1 hour'`,
  counts: `select state, count(*)::int as many from genrun.purchase where batch = $1 group by state`,
  doubts: `select purchase, address, detail, heard from genrun.purchase where batch = $1 and state = 'DOUBT' order by at limit $2`,
  status: `select (select count(*)::int from genrun.waits where batch = $1 and left_ > 0) as waiting,
      (select count(*)::int from genrun.worker where seen > clock_timestamp() - ${lease}) as workers,
      (select count(*)::int from genrun.work where batch = $1) as all_jobs,
      (select count(ended)::int from genrun.work where batch = $1) as ended,
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
  schema: ['create schema if not exists genrun', ...tables, takeRight, unsent, done, plan, withdraw, others],
  statements,
}
