/* A yardstick for benchmarks/engine.py: what CAKE does for a packet, as one would write it in C.
 *
 * Set-associative hash of flows and hosts, tins with clocks, DRR++ with sparse, bulk and decaying
 * flows and host-scaled quanta, COBALT with BLUE, shaper clock, memory limit, delay averages, a
 * pool of packets.  The load is that of tcc.engine.drive.Load, draw for draw.  It has no ACK
 * filter, no GSO, no overflow heap, no autorate and no reconfiguration.
 *
 * usage: yardstick FLOWS PER_HOST TINS(1|4) HOSTS(0|1) RATE GAP FILL WARM STEPS
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int64_t ns_t;
enum { TINS = 4, SLOTS = 1024, WAYS = 8, NEW = SLOTS, OLD, DECAYED, STRIDE };
enum { NONE, SPARSE, WAIT, BULK, DECAYING };

struct packet {
	int next;
	uint32_t length, adjusted, truesize, flow_hash, source, destination;
	uint32_t priority, mark;
	uint16_t offset;
	uint8_t tos, protocol;
	ns_t enqueued;
	char rest[112]; /* as much as hosts keep in a packet of the engine */
};

struct flow {
	int head, tail, deficit;
	uint32_t backlog, tag, count, rec, p_drop, dropped;
	int16_t next, previous, source, destination;
	uint8_t state, dropping;
	ns_t drop_next, blue_timer;
};

struct host {
	uint32_t source_tag, destination_tag;
	uint16_t source_bulk, destination_bulk;
};

struct tin {
	uint64_t rate, ns;
	int shift, quantum;
	ns_t next, target, interval, mtu_time;
	uint32_t backlog;
	int sparse, bulk, decaying, unresponsive;
	uint64_t packets, bytes, dropped, marks, misses, hits, collisions;
	uint32_t longest;
	ns_t average, peak, base;
	struct flow flows[STRIDE];
	struct host hosts[SLOTS];
};

struct cake {
	struct tin tins[TINS];
	int count, hosts_fair, overhead, mpu;
	uint64_t ns;
	int shift, qlen;
	ns_t now_next, failsafe, wakeup;
	uint64_t used, limit, most, backlog, enqueued, dequeued, drops, enqueued_bytes,
		dequeued_bytes, overlimits;
	uint32_t average_offset, max_len, min_len, max_adj, min_adj;
	uint64_t chance;
};

static struct packet *pool;
static int free_packet = -1;
static const uint8_t tin_of_dscp[64] = {
	[1] = 1, [8] = 1, [4] = 2, [16] = 2, [18] = 2, [20] = 2, [22] = 2, [24] = 2, [26] = 2,
	[28] = 2, [30] = 2, [34] = 2, [36] = 2, [38] = 2, [32] = 3, [40] = 3, [44] = 3, [46] = 3,
	[48] = 3, [56] = 3 };
static uint32_t roots[16];

static uint64_t draw(struct cake *q)
{
	uint64_t z = q->chance += 0x9E3779B97F4A7C15ull;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
	z = (z ^ z >> 27) * 0x94D049BB133111EBull;
	return z ^ z >> 31;
}

static int take(void)
{
	int p = free_packet;
	free_packet = pool[p].next;
	memset(&pool[p], 0, sizeof(pool[p]));
	return p;
}

static void give(int p)
{
	pool[p].next = free_packet;
	free_packet = p;
}

static void append(struct tin *b, int slot, int list)
{
	int last = b->flows[list].previous;
	b->flows[slot].next = list;
	b->flows[slot].previous = last;
	b->flows[last].next = slot;
	b->flows[list].previous = slot;
}

static void unlink_flow(struct tin *b, int slot)
{
	struct flow *f = &b->flows[slot];
	b->flows[f->previous].next = f->next;
	b->flows[f->next].previous = f->previous;
}

static void map_hosts(struct tin *b, struct flow *f, uint32_t s, uint32_t d)
{
	int base = s % SLOTS & ~(WAYS - 1), k, i;
	for (i = 0, k = base + s % WAYS; i < WAYS; i++, k = base + (s + i) % WAYS)
		if (b->hosts[k].source_tag == s)
			goto source;
	for (i = 0, k = base + s % WAYS; i < WAYS; i++, k = base + (s + i) % WAYS)
		if (!b->hosts[k].source_bulk)
			break;
	b->hosts[k].source_tag = s;
source:
	f->source = k;
	base = d % SLOTS & ~(WAYS - 1);
	for (i = 0, k = base + d % WAYS; i < WAYS; i++, k = base + (d + i) % WAYS)
		if (b->hosts[k].destination_tag == d)
			goto destination;
	for (i = 0, k = base + d % WAYS; i < WAYS; i++, k = base + (d + i) % WAYS)
		if (!b->hosts[k].destination_bulk)
			break;
	b->hosts[k].destination_tag = d;
destination:
	f->destination = k;
}

static int find(struct cake *q, struct tin *b, uint32_t hash, uint32_t s, uint32_t d)
{
	int home = hash % SLOTS, base = home & ~(WAYS - 1), i, k;
	if (b->flows[home].tag == hash && b->flows[home].state)
		return home;
	for (i = 0; i < WAYS; i++) {
		k = base + (home + i) % WAYS;
		if (b->flows[k].tag == hash) {
			if (i)
				b->hits++;
			if (!b->flows[k].state && q->hosts_fair)
				map_hosts(b, &b->flows[k], s, d);
			return k;
		}
	}
	for (i = 0; i < WAYS; i++) {
		k = base + (home + i) % WAYS;
		if (!b->flows[k].state)
			break;
	}
	if (i < WAYS)
		b->misses++;
	else {
		b->collisions++;
		k = home;
	}
	b->flows[k].tag = hash;
	if (q->hosts_fair)
		map_hosts(b, &b->flows[k], s, d);
	return k;
}

static void bulk(struct cake *q, struct tin *b, struct flow *f, int change)
{
	if (q->hosts_fair) {
		b->hosts[f->source].source_bulk += change;
		b->hosts[f->destination].destination_bulk += change;
	}
}

static int quantum(struct cake *q, struct tin *b, struct flow *f)
{
	int load = 1;
	if (q->hosts_fair) {
		if (b->hosts[f->source].source_bulk > load)
			load = b->hosts[f->source].source_bulk;
		if (b->hosts[f->destination].destination_bulk > load)
			load = b->hosts[f->destination].destination_bulk;
	}
	return (b->quantum * (65535 / load) + (int)(draw(q) >> 48)) >> 16;
}

static uint32_t adjust(struct cake *q, uint32_t length)
{
	if (length > q->max_len)
		q->max_len = length;
	if (length < q->min_len)
		q->min_len = length;
	length += q->overhead;
	if (length < (uint32_t)q->mpu)
		length = q->mpu;
	if (length > q->max_adj)
		q->max_adj = length;
	if (length < q->min_adj)
		q->min_adj = length;
	return length;
}

static void enqueue(struct cake *q, int p, ns_t now)
{
	struct packet *k = &pool[p];
	int t = q->count > 1 ? tin_of_dscp[k->tos >> 2] : 0;
	struct tin *b = &q->tins[t];
	int slot = find(q, b, k->flow_hash, k->source, k->destination);
	struct flow *f = &b->flows[slot];
	if (!b->backlog) {
		if (b->next < now)
			b->next = now;
		if (!q->qlen) {
			if (q->now_next < now)
				q->now_next = q->failsafe = now;
			else if (q->now_next > now && q->failsafe > now) {
				q->overlimits++;
				q->wakeup = q->now_next < q->failsafe ? q->now_next : q->failsafe;
			}
		}
	}
	if (k->length > b->longest)
		b->longest = k->length;
	k->enqueued = now;
	k->next = -1;
	q->average_offset += (k->offset << 8) - (q->average_offset >> 8);
	k->adjusted = adjust(q, k->length);
	if (f->head < 0)
		f->head = p;
	else
		pool[f->tail].next = p;
	f->tail = p;
	f->backlog += k->length;
	b->backlog += k->length;
	b->packets++;
	b->bytes += k->length;
	q->used += k->truesize;
	q->enqueued++;
	q->enqueued_bytes += k->length;
	q->qlen++;
	q->backlog += k->length;
	if (f->state == NONE || f->state == DECAYING) {
		if (f->state == DECAYING) {
			unlink_flow(b, slot);
			b->decaying--;
		}
		append(b, slot, NEW);
		f->state = SPARSE;
		b->sparse++;
		f->deficit = quantum(q, b, f);
	} else if (f->state == WAIT) {
		f->state = BULK;
		b->sparse--;
		b->bulk++;
		bulk(q, b, f, 1);
	}
	if (q->used > q->most)
		q->most = q->used;
	if (q->used > q->limit)
		abort(); /* the load stays below it */
}

static void charge(struct cake *q, struct tin *b, uint64_t length, int drop, ns_t now)
{
	ns_t own = length * b->ns >> b->shift, all = length * q->ns >> q->shift;
	if (b->next < now)
		b->next += own;
	else if (b->next < now + own)
		b->next = now + own;
	q->now_next += all;
	if (!drop)
		q->failsafe += all + all / 2;
}

static void set_root(struct flow *f)
{
	uint64_t rec = f->rec, square = rec * rec >> 32;
	if (f->count < 16)
		f->rec = roots[f->count];
	else
		f->rec = (((3ull << 32) - f->count * square) >> 2) * rec >> 31;
}

static ns_t control(struct tin *b, struct flow *f, ns_t at)
{
	return at + ((uint64_t)(uint32_t)b->interval * f->rec >> 32);
}

static int judge(struct cake *q, struct tin *b, struct flow *f, struct packet *k, ns_t now)
{
	ns_t sojourn = now - k->enqueued, late = now - f->drop_next;
	int due = f->count && late >= 0, drop = 0;
	if (sojourn > b->target && sojourn > 4 * b->mtu_time) {
		if (!f->dropping) {
			f->dropping = 1;
			f->drop_next = control(b, f, now);
		}
		if (!f->count)
			f->count = 1;
	} else
		f->dropping = 0;
	if (due && f->dropping) {
		if (k->tos & 3) {
			k->tos |= 3;
			b->marks++;
		} else
			drop = 1;
		f->count++;
		set_root(f);
		f->drop_next = control(b, f, f->drop_next);
		late = now - f->drop_next;
	} else
		while (due && f->count && late >= 0) {
			f->count--;
			set_root(f);
			f->drop_next = control(b, f, f->drop_next);
			late = now - f->drop_next;
		}
	if (f->p_drop && !drop && (uint32_t)(draw(q) >> 32) < f->p_drop)
		drop = 1;
	if (!f->count)
		f->drop_next = now + b->interval;
	else if (late > 0 && !drop)
		f->drop_next = now;
	return drop;
}

static int unqueue(struct cake *q, struct tin *b, struct flow *f)
{
	int p = f->head;
	if (p < 0)
		return -1;
	f->head = pool[p].next;
	f->backlog -= pool[p].length;
	b->backlog -= pool[p].length;
	q->used -= pool[p].truesize;
	return p;
}

static void average(ns_t *a, ns_t x, int shift)
{
	*a += (x >> shift) - (*a >> shift);
}

static int dequeue(struct cake *q, ns_t now)
{
	int first = 1, t, slot, p;
	while (q->qlen) {
		struct tin *b = NULL;
		struct flow *f;
		ns_t best = 0;
		if (q->now_next > now && q->failsafe > now) {
			q->overlimits++;
			q->wakeup = q->now_next < q->failsafe ? q->now_next : q->failsafe;
			return -1;
		}
		for (t = 0; t < q->count; t++)
			if (q->tins[t].sparse + q->tins[t].bulk) {
				ns_t wait = q->tins[t].next - now;
				if (wait <= 0 || !b || wait <= best) {
					best = wait;
					b = &q->tins[t];
				}
			}
		if (!b)
			return -1;
retry:
		slot = b->flows[DECAYED].next;
		if (!first || slot == DECAYED) {
			slot = b->flows[NEW].next;
			if (slot == NEW)
				slot = b->flows[OLD].next;
			if (slot == OLD)
				slot = b->flows[DECAYED].next;
			if (slot == DECAYED)
				continue;
		}
		first = 0;
		f = &b->flows[slot];
		if (f->deficit <= 0) {
			if (f->state == SPARSE) {
				if (f->head >= 0) {
					f->state = BULK;
					b->sparse--;
					b->bulk++;
					bulk(q, b, f, 1);
				} else
					f->state = WAIT;
			}
			f->deficit += quantum(q, b, f);
			unlink_flow(b, slot);
			append(b, slot, OLD);
			goto retry;
		}
		while ((p = unqueue(q, b, f)) >= 0) {
			if (!judge(q, b, f, &pool[p], now) || f->head < 0)
				break;
			f->dropped++;
			b->dropped++;
			q->drops++;
			q->qlen--;
			q->backlog -= pool[p].length;
			give(p);
		}
		if (p < 0) {
			if (f->p_drop && now - f->blue_timer > b->target) {
				f->p_drop -= f->p_drop < 1 << 20 ? f->p_drop : 1 << 20;
				f->blue_timer = now;
				b->unresponsive -= !f->p_drop;
			}
			f->dropping = 0;
			if (f->count && now >= f->drop_next) {
				f->count--;
				set_root(f);
				f->drop_next = control(b, f, f->drop_next);
			}
			unlink_flow(b, slot);
			if (f->state == BULK) {
				b->bulk--;
				bulk(q, b, f, -1);
			} else if (f->state == DECAYING)
				b->decaying--;
			else
				b->sparse--;
			f->state = NONE;
			if (f->p_drop || f->count || now < f->drop_next) {
				append(b, slot, DECAYED);
				f->state = DECAYING;
				b->decaying++;
			}
			continue;
		}
		{
			struct packet *k = &pool[p];
			ns_t delay = now - k->enqueued;
			q->dequeued++;
			q->dequeued_bytes += k->length;
			q->qlen--;
			q->backlog -= k->length;
			average(&b->average, delay, 8);
			average(&b->peak, delay, delay > b->peak ? 2 : 8);
			average(&b->base, delay, delay < b->base ? 2 : 8);
			charge(q, b, k->adjusted, 0, now);
			f->deficit -= k->adjusted;
			if (q->qlen && q->now_next > now)
				q->wakeup = q->now_next < q->failsafe ? q->now_next : q->failsafe;
			return p;
		}
	}
	return -1;
}

static void set_rate(struct tin *b, uint64_t rate)
{
	uint64_t ns = (1000000000ull << 34) / rate;
	ns_t wide;
	b->rate = rate;
	b->quantum = rate >> 12 < 300 ? 300 : rate >> 12 > 1514 ? 1514 : (int)(rate >> 12);
	for (b->shift = 34; ns >> 34; b->shift--)
		ns >>= 1;
	b->ns = ns;
	b->mtu_time = 1514 * ns >> b->shift;
	wide = b->mtu_time * 3 / 2;
	b->target = wide > 5000000 ? wide : 5000000;
	b->interval = 100000000 + b->target - 5000000;
}

static uint32_t state = 1, *hashes, *hosts;
static uint8_t *classes;
static uint64_t delivered;

static void offer(struct cake *q, int flows, ns_t now)
{
	int p = take(), flow;
	struct packet *k = &pool[p];
	state = state * 1664525 + 1013904223;
	flow = (state >> 8) % flows;
	k->length = 1514;
	k->truesize = 2304;
	k->flow_hash = hashes[flow];
	k->source = k->destination = hosts[flow];
	k->tos = classes[flow];
	k->protocol = 4;
	k->offset = 14;
	enqueue(q, p, now);
}

int main(int argc, char **argv)
{
	static const uint8_t four[] = { 0, 0x20, 0x88, 0xb8 };
	static const int shifts[] = { 0, 4, 1, 2 };
	static const uint32_t table[] = { 4294967295u, 4294967295u, 3037000500u, 2479700525u,
		2147483647u, 1920767767u, 1753413056u, 1623345051u, 1518500250u, 1431655765u,
		1358187914u, 1294981364u, 1239850263u, 1191209601u, 1147878294u, 1108955788u };
	struct cake *q = calloc(1, sizeof(*q));
	int flows, per_host, fill, i, t;
	long warm, steps, n;
	ns_t now = 1000000000, gap;
	struct timespec before, after;
	if (argc != 10 || !q)
		return 2;
	flows = atoi(argv[1]);
	per_host = atoi(argv[2]);
	q->count = atoi(argv[3]);
	q->hosts_fair = atoi(argv[4]);
	gap = atoll(argv[6]);
	fill = atoi(argv[7]);
	warm = atol(argv[8]);
	steps = atol(argv[9]);
	memcpy(roots, table, sizeof(roots));
	q->chance = 1;
	q->limit = 1 << 30;
	q->min_len = q->min_adj = 65535;
	for (t = 0; t < TINS; t++) {
		struct tin *b = &q->tins[t];
		set_rate(b, strtoull(argv[5], NULL, 10) >> shifts[t]);
		for (i = 0; i < SLOTS; i++)
			b->flows[i].head = -1;
		for (i = NEW; i <= DECAYED; i++)
			b->flows[i].next = b->flows[i].previous = i;
	}
	q->ns = q->tins[0].ns;
	q->shift = q->tins[0].shift;
	pool = calloc(8192, sizeof(*pool));
	hashes = calloc(flows, sizeof(*hashes));
	hosts = calloc(flows, sizeof(*hosts));
	classes = calloc(flows, 1);
	for (i = 8191; i >= 0; i--)
		give(i);
	for (i = 0; i < flows; i++) {
		hashes[i] = (i + 1) * 2654435761u;
		hosts[i] = (i / per_host + 1) * 2246822519u;
		classes[i] = q->count > 1 ? four[i % 4] : 0;
	}
	for (i = 0; i < fill; i++)
		offer(q, flows, now);
	for (n = -warm; n < steps; n++) {
		int p;
		if (n == 0)
			clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
		offer(q, flows, now);
		p = dequeue(q, now);
		if (p >= 0) {
			delivered++;
			give(p);
		}
		now += gap;
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
	printf("%.3f %llu %d %llu\n",
	       ((after.tv_sec - before.tv_sec) * 1e9 + (after.tv_nsec - before.tv_nsec)) / steps,
	       (unsigned long long)delivered, q->qlen, (unsigned long long)q->drops);
	return 0;
}
