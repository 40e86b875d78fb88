/* A yardstick for benchmarks/dumbbell.py: the same network as one would write it in C.
 *
 * Events in a heap ordered by time and order of arming, delay lines, two instances of the CAKE of
 * yardstick.c, sources with a window, a ring of what is in flight, a round trip estimator and an
 * acknowledgement for every second segment, a ping.  It has no losses to repair, no congestion
 * control, no super-packets, no receive window, no measuring but a histogram of the queue.
 *
 * usage: dumbbell FLOWS PER_HOST RATE(bytes/s) RTT(ns) SECONDS
 * prints: data packets, events, CPU seconds
 */
#define main yardstick
#include "yardstick.c"
#undef main

enum { WAKE_DATA, WAKE_ACKS, ARRIVE, PING, NODES = 128, RING = 4096 };

struct entry {
	ns_t time;
	uint64_t order;
	int node;
};

struct source {
	uint32_t hash, host;
	int64_t una, nxt, window, got;
	ns_t srtt, variance;
	struct { ns_t sent, first; int64_t delivered; int flags; } ring[RING];
};

static struct entry heap[NODES];
static int place_of[NODES], armed, line_head = -1, line_tail = -1;
static uint64_t orders, fired, sent;
static ns_t now, rtt;
static ns_t *due;
static struct cake *data, *acks;
static struct source *sources;
static uint64_t histogram[8192];

static int before(struct entry a, struct entry b)
{
	return a.time < b.time || (a.time == b.time && a.order < b.order);
}

static void settle(int i, struct entry e)
{
	while (i && before(e, heap[(i - 1) / 2])) {
		heap[i] = heap[(i - 1) / 2];
		place_of[heap[i].node] = i;
		i = (i - 1) / 2;
	}
	for (int c; (c = 2 * i + 1) < armed; i = c) {
		if (c + 1 < armed && before(heap[c + 1], heap[c]))
			c++;
		if (!before(heap[c], e))
			break;
		heap[i] = heap[c];
		place_of[heap[i].node] = i;
	}
	heap[i] = e;
	place_of[e.node] = i;
}

static void arm(int node, ns_t time)
{
	struct entry e = { time, ++orders, node };
	settle(place_of[node] < 0 ? armed++ : place_of[node], e);
}

static void disarm_first(void)
{
	place_of[heap[0].node] = -1;
	if (--armed)
		settle(0, heap[armed]);
}

static int make(uint32_t hash, uint32_t host, int length, int flow)
{
	int p = take();
	struct packet *k = &pool[p];
	k->length = length;
	k->truesize = 2304;
	k->flow_hash = hash;
	k->source = k->destination = host;
	k->protocol = 4;
	k->offset = 14;
	k->mark = flow;
	return p;
}

static void run(struct cake *q);

static void send(int flow)
{
	struct source *s = &sources[flow];
	while (s->nxt - s->una < s->window) {
		int64_t i = s->nxt++ & (RING - 1);
		s->ring[i].sent = now;
		s->ring[i].first = now;
		s->ring[i].delivered = s->una;
		s->ring[i].flags = 0;
		sent++;
		enqueue(data, make(s->hash, s->host, 1514, flow), now);
	}
	run(data);
}

static void to_line(int p)
{
	due[p] = now + rtt;
	pool[p].next = -1;
	if (line_head < 0) {
		line_head = p;
		arm(ARRIVE, due[p]);
	} else
		pool[line_tail].next = p;
	line_tail = p;
}

static void received(int p)
{
	int flow = pool[p].mark;
	struct source *s = flow < 0 ? NULL : &sources[flow];
	give(p);
	if (!s)
		to_line(make(7, 7, 98, -1));
	else if (++s->got % 2 == 0)
		to_line(make(s->hash ^ 1, s->host, 66, flow));
}

static void acknowledged(int p)
{
	int flow = pool[p].mark;
	struct source *s = flow < 0 ? NULL : &sources[flow];
	give(p);
	if (!s)
		return;
	for (int n = 0; n < 2; n++) {
		ns_t sample = now - s->ring[s->una++ & (RING - 1)].sent, error = sample - s->srtt / 8;
		s->srtt += error;
		s->variance += ((error < 0 ? -error : error) - s->variance / 4);
	}
	send(flow);
}

static void run(struct cake *q)
{
	int p;
	while ((p = dequeue(q, now)) >= 0) {
		ns_t waited = now - pool[p].enqueued;
		int shift = waited > 255 ? 56 - __builtin_clzll(waited) : 0;
		histogram[shift * 128 + (waited >> shift)]++;
		q == data ? received(p) : acknowledged(p);
	}
	if (q->wakeup > now)
		arm(q == data ? WAKE_DATA : WAKE_ACKS, q->wakeup);
}

static struct cake *new_cake(uint64_t rate)
{
	static const int shifts[] = { 0, 4, 1, 2 };
	struct cake *q = calloc(1, sizeof(*q));
	q->count = 4;
	q->hosts_fair = 1;
	q->chance = 1;
	q->limit = 1 << 30;
	q->min_len = q->min_adj = 65535;
	for (int t = 0; t < TINS; t++) {
		set_rate(&q->tins[t], rate >> shifts[t]);
		for (int i = 0; i < SLOTS; i++)
			q->tins[t].flows[i].head = -1;
		for (int i = NEW; i <= DECAYED; i++)
			q->tins[t].flows[i].next = q->tins[t].flows[i].previous = i;
	}
	q->ns = q->tins[0].ns;
	q->shift = q->tins[0].shift;
	return q;
}

static void fire(void)
{
	int node = heap[0].node, p;
	now = heap[0].time;
	fired++;
	if (node == ARRIVE) {
		p = line_head;
		line_head = pool[p].next;
		if (line_head < 0)
			disarm_first();
		else
			settle(0, (struct entry){ due[line_head], ++orders, ARRIVE });
		enqueue(acks, p, now);
		run(acks);
		return;
	}
	disarm_first();
	if (node == PING) {
		enqueue(data, make(7, 7, 98, -1), now);
		arm(PING, now + 10000000);
		run(data);
	} else
		run(node == WAKE_DATA ? data : acks);
}

int main(int argc, char **argv)
{
	static const uint32_t table[] = { 4294967295u, 4294967295u, 3037000500u, 2479700525u,
		2147483647u, 1920767767u, 1753413056u, 1623345051u, 1518500250u, 1431655765u,
		1358187914u, 1294981364u, 1239850263u, 1191209601u, 1147878294u, 1108955788u };
	struct timespec a, b;
	if (argc != 6)
		return 2;
	int flows = atoi(argv[1]), per_host = atoi(argv[2]);
	uint64_t rate = strtoull(argv[3], NULL, 10);
	ns_t end = atoll(argv[5]) * 1000000000;
	rtt = atoll(argv[4]);
	memcpy(roots, table, sizeof(roots));
	data = new_cake(rate);
	acks = new_cake(rate);
	pool = calloc(16384, sizeof(*pool));
	due = calloc(16384, sizeof(*due));
	sources = calloc(flows, sizeof(*sources));
	for (int i = 16383; i >= 0; i--)
		give(i);
	for (int i = 0; i < NODES; i++)
		place_of[i] = -1;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	now = 1;
	for (int i = 0; i < flows; i++) {
		sources[i].hash = (i + 1) * 2654435761u;
		sources[i].host = (i / per_host + 1) * 2246822519u;
		sources[i].window = rate * rtt / 1000000000 / 1514 * 3 / 2 / flows & ~1;
		send(i);
	}
	arm(PING, now);
	while (armed && heap[0].time <= end)
		fire();
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	printf("%llu %llu %.6f\n", (unsigned long long)sent, (unsigned long long)fired,
	       b.tv_sec - a.tv_sec + (b.tv_nsec - a.tv_nsec) / 1e9);
	return 0;
}
