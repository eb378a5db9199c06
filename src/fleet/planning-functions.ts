import { alone, lease } from './tables.ts'

// Functions of the server by which a batch is planned by one, and withdrawn from workers and from other batches.

/** Somebody plans a batch just now. */
export const isPlanned = `b.planner is not null and b.seen > clock_timestamp() - ${lease}`

/** Such a run is at work on a batch just now. */
export const isAlone = `(starts_with(b.planner, '${alone}') and ${isPlanned})`

/** Of a batch something is handed out, or bought and in no lock, or in doubt. */
export const isOpen = `(exists (select from genrun.work w where w.batch = b.batch and w.ended is null)
    or exists (select from genrun.unheard u where u.batch = b.batch)
    or exists (select from genrun.purchase p where p.batch = b.batch and p.state = 'DOUBT'))`

/** One planner of a batch at a time; within a checkout the claim sees to that. `moved`: another checkout planned last. */
export const becomePlanner = `create or replace function genrun.plan(in_batch text, in_planner text, in_checkout text, in_queue text)
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
export const withdraw = `create or replace function genrun.withdraw(in_batch text, in_planner text, in_state jsonb, in_many int)
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
export const others = `create or replace function genrun.others(in_batch text, given jsonb, in_state jsonb, out many int, out doubted int)
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
