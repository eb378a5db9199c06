import { lease } from './tables.ts'

// Functions of the server by which orders get the right to be sent, and come to their ends.

/**
 * The right to send, with lease and budget: one statement, one durable commit. Asked again by the same attempt it answers the same.
 * The budget's row is locked before the purchase's, here and in `unsent`.
 */
export const takeRight = `create or replace function genrun.take_right(
    in_batch text, in_identity text, in_purchase text, in_attempt uuid, in_worker text, in_address text, in_request text,
    in_price numeric, in_record jsonb)
  returns text language plpgsql as $$
declare
  its_attempt uuid;
  its_state text;
  its_at timestamptz;
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

  -- Asked with the budget's row in hand, as genrun.withdraw has it: nobody orders what nobody wants any more. What failed is ordered
  -- once more only for the text that was planned last.
  if not exists (select from genrun.work w where w.batch = in_batch and w.address = in_address and w.ended is null
      and (in_identity = w.identity or starts_with(in_identity, w.identity || '~')
        and not exists (select from genrun.batch b where b.batch = in_batch and b.queue <> w.queue))) then
    update genrun.budget b set cost = b.cost - in_price, orders = b.orders - 1 where b.batch = in_batch;
    return 'unwanted';
  end if;

  insert into genrun.purchase as p
      (batch, identity, purchase, attempt, worker, address, request, price, record, state)
    values (in_batch, in_identity, in_purchase, in_attempt, in_worker, in_address, in_request, in_price, in_record, 'SENDING')
    on conflict (batch, identity) do update
      set attempt = in_attempt, worker = in_worker, address = in_address, request = in_request, price = in_price,
          record = in_record, state = 'SENDING', detail = null, tries = p.tries + 1, at = clock_timestamp(), seen = clock_timestamp()
      where p.state in ('NOTSENT','REFUSED')
    returning p.at into its_at;
  if found then
    insert into genrun.unheard (batch, at, purchase, state) values (in_batch, its_at, in_purchase, 'SENDING');
    return 'right';
  end if;
  -- Two took it in one instant: the other has it.
  update genrun.budget b set cost = b.cost - in_price, orders = b.orders - 1 where b.batch = in_batch;
  return 'taken';
end $$`

/** No byte left, or it was definitely refused: the price is free again. It proves as much when a doubt was declared meanwhile. */
export const unsent = `create or replace function genrun.unsent(
    in_batch text, in_identity text, in_attempt uuid, in_state text, in_detail text)
  returns void language plpgsql as $$
declare
  given numeric;
  its_at timestamptz;
  its_purchase text;
begin
  perform from genrun.budget b where b.batch = in_batch for update;
  update genrun.purchase p set state = in_state, detail = in_detail
    where p.batch = in_batch and p.identity = in_identity and p.attempt = in_attempt and p.state in ('SENDING','DOUBT')
    returning p.price, p.at, p.purchase into given, its_at, its_purchase;
  if found then
    delete from genrun.unheard u where u.batch = in_batch and u.at = its_at and u.purchase = its_purchase;
    update genrun.budget b set cost = b.cost - given, orders = b.orders - 1 where b.batch = in_batch;
  end if;
end $$`

/**
 * What the service took, and what came of it, of several orders at once: `told` are those of these attempts. Inserted where a fail-over
 * lost the row: what is paid for is recorded whatever was there before.
 */
export const paid = `create or replace function genrun.paid(given jsonb, out told int[])
  language plpgsql as $$
declare
  each record;
  its_at timestamptz;
begin
  told := '{}';
  for each in select * from jsonb_to_recordset(given) as one (nth int, batch text, identity text, purchase text, attempt uuid, worker text,
      address text, request text, price numeric, record jsonb, state text, run jsonb, files jsonb, failure jsonb, billed text, before text[])
      order by batch, identity, nth loop
    insert into genrun.purchase as p (batch, identity, purchase, attempt, worker, address, request, price,
        record, state, run, files, failure, billed)
      values (each.batch, each.identity, each.purchase, each.attempt, each.worker, each.address, each.request, each.price,
        each.record, each.state, each.run, each.files, each.failure, each.billed)
      on conflict (batch, identity) do update
        set state = excluded.state, run = coalesce(excluded.run, p.run), files = coalesce(excluded.files, p.files),
            failure = excluded.failure, billed = excluded.billed, detail = null,
            record = coalesce(excluded.record, p.record)
        where p.attempt = excluded.attempt and p.state = any(each.before)
      returning p.at into its_at;
    continue when not found;
    told := told || each.nth;
    insert into genrun.unheard as u (batch, at, purchase, state) values (each.batch, its_at, each.purchase, each.state)
      on conflict (batch, at, purchase) do update set state = excluded.state;
  end loop;
end $$`

/**
 * Orders whose files are saved, several at once: `done` are those that were paid for, `ready` those of their dependants that wait for
 * nothing more. A need is met once, however often and by whomever it is said. Rows are locked in one order, or two that are told at
 * once would wait for each other.
 */
export const done = `create or replace function genrun.done(given jsonb, out done int[], out ready jsonb)
  language plpgsql as $$
declare
  each record;
  its_at timestamptz;
  its_purchase text;
  met jsonb[] := '{}';
  its_met jsonb[];
  its_left int;
begin
  done := '{}';
  ready := '[]';
  for each in select * from jsonb_to_recordset(given) as one (nth int, batch text, identity text, address text, needed text,
      files jsonb, record jsonb, state jsonb) order by batch, identity loop
    update genrun.purchase p set state = 'DONE', files = each.files, record = coalesce(each.record, p.record)
      where p.batch = each.batch and p.identity = each.identity and p.state in ('ACCEPTED','RESULT')
      returning p.at, p.purchase into its_at, its_purchase;
    if found then
      insert into genrun.unheard as u (batch, at, purchase, state) values (each.batch, its_at, its_purchase, 'DONE')
        on conflict (batch, at, purchase) do update set state = excluded.state;
    else
      perform from genrun.purchase p where p.batch = each.batch and p.identity = each.identity and p.state = 'DONE';
      continue when not found;
    end if;
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
