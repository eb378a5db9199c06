/**
 * The fleet's records, in a schema of their own: who works, what may be spent and how fast, what was ordered and what became
 * of it, and who waits for whom. All dates are the server's, and every decision about money is made there.
 */

/** Of the tables: a store that another version made is not touched. */
export const fleetVersion = 5

/** A worker without a heartbeat for so long holds nothing any more, nor does an attempt that nobody keeps up. */
export const lease = `interval '10 s'`

/** What the name of a run begins with that buys by itself, and hands nothing out. */
export const alone = 'alone:'

/**
 * Of a worker that was not heard for so long nobody waits for what lies on its disk. A right to send is good for less than a lease
 * (`rightMs` in `right.ts`): what is called dead after one cannot be sent any more.
 */
export const gone = `interval '1 min'`

export const tables = [
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
  // attempt sends. at: when the right was taken. seen: the attempt's own lease. record: as a lock has it. No index has anything to do
  // with what changes of it, so that a change is written beside what was there, and into no index.
  `create table if not exists genrun.purchase (
     batch text, identity text,
     purchase text not null, attempt uuid not null, worker text not null, address text not null, request text not null, price numeric not null,
     tries int not null default 1,
     state text not null
       check (state in ('SENDING','NOTSENT','REFUSED','ACCEPTED','DOUBT','RESULT','DONE','FAILED')),
     detail text, run jsonb, files jsonb, failure jsonb, billed text, record jsonb,
     at timestamptz not null default clock_timestamp(), seen timestamptz not null default clock_timestamp(),
     primary key (batch, identity)) with (fillfactor = 50)`,
  `create index if not exists purchase_key on genrun.purchase (purchase)`,
  // The address first: as long as a server knows nothing of a table, it takes any index that begins with the batch for as good as the key.
  `create index if not exists purchase_job on genrun.purchase (address, batch)`,
  `create index if not exists purchase_identity on genrun.purchase (identity, batch)`,
  // Purchases that whoever keeps the lock has not heard of as they stand now. What was not sent is none of them.
  `create table if not exists genrun.unheard (
     batch text, at timestamptz, purchase text, state text not null, primary key (batch, at, purchase))`,
  `create index if not exists unheard_sending on genrun.unheard (batch) where state = 'SENDING'`,
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
]
