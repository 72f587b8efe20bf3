/* The loops that NumPy and SciPy cannot do fast enough; nearest.py, near_tables.py, sweep.py and sparse.py say what
they compute and where their twins are.

Plain C for GCC and Clang, without Python: ctypes calls it. It is compiled once for every kind of processor, because
blocks of sums have to fit its registers: nearest16, nearest8, … work on so many numbers at once, and lanes() says
which of them this processor likes best. */

#ifndef LANES

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline)) TARGET
#define ROLLED _Pragma("GCC unroll 1")
#define TWICE _Pragma("GCC unroll 2")
#define UNROLLED _Pragma("GCC unroll 16")
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define PARTS(n, size) (((n) + (size) - 1) / (size))
#define JOINED(name, number) name##number
#define NAMED(name, number) JOINED(name, number)
#define LINE 64 /* bytes of memory that travel together */
#define FROM_A_LINE_ON(memory) ((memory) + LINE - (uintptr_t)(memory) % LINE) /* vectors then never lie across two */

typedef int64_t number;

/* memory that is needed next is fetched meanwhile, so many bytes in every step of a loop */
struct ahead {
    const char *next;
    number bytes;
};

int interface(void) { return 1; } /* changes with the arguments of a function; compiled.py has the same number */

#if defined(__x86_64__)
#define LANES 16
#define REGISTERS 32
#define TARGET __attribute__((target("arch=x86-64-v4")))
#define KEPT(v) __asm__("" : "+v"(v))
#define NOT_ABOVE(d, bound) _mm512_cmp_ps_mask(_mm512_loadu_ps(d), _mm512_set1_ps(bound), _CMP_LE_OQ)
#define LARGER(a, b) ((vector)_mm512_max_ps((__m512)(a), (__m512)(b)))
#define SMALLER(a, b) ((vector)_mm512_min_ps((__m512)(a), (__m512)(b)))
#define LARGER_BITS(a, b) ((bits)_mm512_max_epi32((__m512i)(a), (__m512i)(b)))
#include "_compiled.c"
#define LANES 8
#define REGISTERS 16
#define TARGET __attribute__((target("arch=x86-64-v3")))
#define KEPT(v) __asm__("" : "+x"(v))
#define NOT_ABOVE(d, bound) _mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(d), _mm256_set1_ps(bound), _CMP_LE_OQ))
#define LARGER(a, b) ((vector)_mm256_max_ps((__m256)(a), (__m256)(b)))
#define SMALLER(a, b) ((vector)_mm256_min_ps((__m256)(a), (__m256)(b)))
#define LARGER_BITS(a, b) ((bits)_mm256_max_epi32((__m256i)(a), (__m256i)(b)))
#include "_compiled.c"
#define LANES 4
#define REGISTERS 16
#define TARGET
#define KEPT(v) __asm__("" : "+x"(v))
#define NOT_ABOVE(d, bound) _mm_movemask_ps(_mm_cmple_ps(_mm_loadu_ps(d), _mm_set1_ps(bound)))
#define LARGER(a, b) ((vector)_mm_max_ps((__m128)(a), (__m128)(b)))
#define SMALLER(a, b) ((vector)_mm_min_ps((__m128)(a), (__m128)(b)))
#define LARGER_BITS(a, b) either((a) > (b), a, b)
#include "_compiled.c"

int lanes(void)
{
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return 16;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") ? 8 : 4;
}
#else
#define LANES 4
#define REGISTERS 32
#define TARGET
#define KEPT(v)
#define LARGER(a, b) ((vector)either((a) > (b), (bits)(a), (bits)(b)))
#define SMALLER(a, b) ((vector)either((a) < (b), (bits)(a), (bits)(b)))
#define LARGER_BITS(a, b) either((a) > (b), a, b)
#include "_compiled.c"

int lanes(void) { return 4; }
#endif

#else /* from here on for each kind */

#define vector NAMED(vector, LANES)
#define bits NAMED(bits, LANES)
#define bound_of NAMED(bound_of, LANES)
#define candidates NAMED(candidates, LANES)
#define nearest_of_row NAMED(nearest_of_row, LANES)
#define nearest NAMED(nearest, LANES)
#define to_panel NAMED(to_panel, LANES)
#define to_anchors NAMED(to_anchors, LANES)
#define search NAMED(search, LANES)
#define either NAMED(either, LANES)
#define renew NAMED(renew, LANES)
#define contract NAMED(contract, LANES)
#define fetch NAMED(fetch, LANES)
#define sweep_part NAMED(sweep_part, LANES)
#define pass NAMED(pass, LANES)
#define take_parts NAMED(take_parts, LANES)
#define sweep NAMED(sweep, LANES)
#define row_times NAMED(row_times, LANES)
#define sparse_times NAMED(sparse_times, LANES)

typedef float vector __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int32_t bits __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

#define ABSOLUTE(v) ((vector)((bits)(v) & 0x7fffffff))
INLINE bits either(bits first, bits a, bits b) { return (a & first) | (b & ~first); }

#define RUN (REGISTERS == 32 ? 4 : 2) /* vectors, five of which are in registers together with what makes them */

/* ---- the k smallest entries of every row ---- */

#define BUCKETS 32 /* more than k; bucket b holds the columns b, b + 32, … */
#define ROOM 32    /* for candidates; more are left to the caller */

/* the k-th smallest of the buckets' minima: at least k entries do not exceed it, and mostly few more */
INLINE float bound_of(const float *restrict d, number m, int k)
{
    float low[BUCKETS], bound = -INFINITY;
    int below[BUCKETS] = {0};
    for (int b = 0; b < BUCKETS; b++) low[b] = INFINITY;
    number c = 0;
    for (; c + BUCKETS <= m; c += BUCKETS)
        for (int b = 0; b < BUCKETS; b++) low[b] = d[c + b] < low[b] ? d[c + b] : low[b];
    for (int b = 0; c + b < m; b++) low[b] = d[c + b] < low[b] ? d[c + b] : low[b];
    for (int a = 0; a < BUCKETS; a++)
        for (int b = 0; b < BUCKETS; b++) below[b] += low[a] < low[b];
#pragma omp simd reduction(max : bound)
    for (int b = 0; b < BUCKETS; b++) {
        float counts = below[b] < k ? low[b] : -INFINITY;
        bound = MAX(bound, counts);
    }
    return bound;
}

/* the columns of entries up to the bound, ascending; how many, or more than ROOM */
INLINE int candidates(const float *restrict d, number m, float bound, int *restrict at)
{
    int n = 0;
    number c = 0;
#if defined(NOT_ABOVE)
    for (; c + 64 <= m; c += 64) {
        uint64_t found = 0;
        for (int l = 0; l < 64; l += LANES) found |= (uint64_t)NOT_ABOVE(d + c + l, bound) << l;
        for (; found; found &= found - 1) {
            if (n == ROOM) return ROOM + 1;
            at[n++] = (int)c + __builtin_ctzll(found);
        }
    }
#endif
    for (; c < m; c++)
        if (d[c] <= bound) {
            if (n == ROOM) return ROOM + 1;
            at[n++] = (int)c;
        }
    return n;
}

INLINE int nearest_of_row(const float *restrict d, number m, int k, number *restrict columns, float *restrict values)
{
    int at[ROOM], before[ROOM] = {0}, sorted[ROOM], n = candidates(d, m, bound_of(d, m, k), at);
    float value[ROOM];
    if (n < k || n > ROOM) return 0;
    for (int i = 0; i < n; i++) value[i] = d[at[i]];
    for (int i = n; i < ROOM; i++) value[i] = INFINITY;
    for (int i = 0; i < n; i++) /* counting who comes before sorts without a branch */
        for (int j = 0; j < ROOM; j++) before[j] += (value[i] < value[j]) | ((value[i] == value[j]) & (i < j));
    for (int i = 0; i < n; i++) sorted[before[i]] = i;
    for (int i = 0; i < k; i++) {
        columns[i] = at[sorted[i]];
        values[i] = value[sorted[i]];
    }
    return 1;
}

/* d (n, m) -> columns, values (n, k), k < BUCKETS; the rows that are left to the caller, and their number */
TARGET number nearest(const float *d, number n, number m, number k, number *columns, float *values, number *left)
{
    number n_left = 0;
    for (number i = 0; i < n; i++)
        if (!nearest_of_row(d + i * m, m, (int)k, columns + i * k, values + i * k)) left[n_left++] = i;
    return n_left;
}

/* ---- the nearest anchors of rows in several tables, and in all of them together ---- */

#define PANEL 64 /* anchors; near_tables.py has the same number */
#define FEW 5    /* rows, of which a panel's distances fit into registers */
#define MANY 20  /* rows that go through all tables together: their distances stay in the second cache */

/* distances of n rows of left (n, depth) to the anchors of a panel (depth, PANEL) */
INLINE void to_panel(const int n, number depth, const float *restrict left, const vector *restrict panel, float *d,
                     number stride)
{
    ROLLED for (int t = 0; t < PANEL / LANES; t += RUN) {
        vector sum[FEW][4] = {0}, a[4];
        ROLLED for (number j = 0; j < depth; j++) {
            for (int u = 0; u < RUN; u++) a[u] = panel[j * (PANEL / LANES) + t + u];
            for (int i = 0; i < n; i++)
                for (int u = 0; u < RUN; u++) sum[i][u] += left[i * depth + j] * a[u];
        }
        for (int i = 0; i < n; i++)
            for (int u = 0; u < RUN; u++) *(vector *)(d + i * stride + (t + u) * LANES) = sum[i][u];
    }
}

/* the same for n <= MANY rows and all panels */
INLINE void to_anchors(number n, number n_panels, number depth, const float *left, const float *right, float *d)
{
    for (number q = 0; q < n_panels; q++)
        for (number i = 0, few; i < n; i += few)
            switch (few = MIN(n - i, FEW)) {
#define ROWS(n_) case n_: \
    to_panel(n_, depth, left + i * depth, (const vector *)(right + q * depth * PANEL), \
             d + (i * n_panels + q) * PANEL, n_panels * PANEL); break;
                ROWS(1) ROWS(2) ROWS(3) ROWS(4) ROWS(5)
            }
}

/* of every table left (n, depth), whose last but one column is the squared length of the row, right (panels, depth,
PANEL), and the largest squared length of an anchor -> columns, values (n, tables [+ 1 for their sum], k); the doubtful
rows, which are left to the caller, and their number, or less than nothing where there is no memory. Doubtful is a row
that is closer to an anchor than a share of the lengths of both: it has lost digits. */
TARGET number search(number n, number m, number k, number n_tables, number joint, float share, const number *depths,
                     const float *const *lefts, const float *const *rights, const float *longest, number *columns,
                     float *values, number *doubtful)
{
    const number n_panels = PARTS(m, PANEL), stride = n_panels * PANEL, n_slices = n_tables + joint;
    number n_doubtful = 0;
    char *memory = malloc(2 * MANY * stride * sizeof(float) + LINE);
    if (!memory) return -1;
    float *d = (float *)FROM_A_LINE_ON(memory), *total = d + MANY * stride;
    for (number first = 0; first < n; first += MANY) {
        const number many = MIN(n - first, MANY);
        int doubt[MANY] = {0};
        for (number s = 0; s < n_slices; s++) {
            const float *of_slice = s < n_tables ? d : total, *left = NULL;
            if (s < n_tables) {
                left = lefts[s] + first * depths[s];
                to_anchors(many, n_panels, depths[s], left, rights[s], d);
                for (number i = 0; joint && i < many * stride; i++) total[i] = s ? total[i] + d[i] : d[i];
            }
            for (number i = 0; i < many; i++) {
                const number at = ((first + i) * n_slices + s) * k;
                doubt[i] |= !nearest_of_row(of_slice + i * stride, stride, (int)k, columns + at, values + at);
                if (left) doubt[i] |= !(values[at] >= share * (left[(i + 1) * depths[s] - 2] + longest[s]));
            }
        }
        for (number i = 0; i < many; i++)
            if (doubt[i]) doubtful[n_doubtful++] = first + i;
    }
    free(memory);
    return n_doubtful;
}

/* ---- one pass of the factorization ---- */

#define TILE 64 /* rows; sweep.py has the same number */
#define GROUP 8 /* tiles that sums are taken of at a time */
#define STEPS (TILE / LANES)
/* blocks of registers: MOST_J x 5 sums, or columns of Q times vectors of rows, 10 x 2, 5 x 4, …; few widths, because
each is compiled on its own */
#define MOST_J (REGISTERS == 32 ? 5 : 2)
#define WIDTH_OF(left) ((left) >= 5 ? 5 : (left) >= 2 ? 2 : 1)
#define MOST_K (REGISTERS == 32 ? 10 : 5)
#define COLUMNS_OF(left) ((left) >= MOST_K ? MOST_K : WIDTH_OF(left))
/* bytes of the next group that a fetch brings, a line at most: of S in a step of renew, which makes 5 RUN products, of
U in a step of contract, which makes 5 MOST_J */
#define FETCHES (RUN / 2) /* in a step of renew */
#define BYTES_OF_S(K) MIN(LINE, 5 * RUN * LANES * 4 / ((K) * FETCHES))
#define BYTES_OF_U(r, K) MIN(LINE, 5 * MOST_J * LANES * 4 * 2 / (2 * (r) + (K)))

INLINE void fetch(struct ahead *ahead)
{
    __builtin_prefetch(ahead->next, 0, 2);
    ahead->next += ahead->bytes;
}

/* Q = AᵀS + RᵀP with P = |U|, n_k rows of it from k0 on, which stay in registers; then the new U and its P, and the
largest |H - Q| so far, as bits: those of numbers that are not negative sort like integers. */
INLINE void renew(const int n_k, number r, number K, number k0, float shrink, const float *restrict A,
                  const float *restrict R, const vector *restrict S, const vector *U, vector *renewed,
                  vector *restrict P, bits *restrict largest, struct ahead *ahead_)
{
    const int run = n_k > 5 ? RUN / 2 : RUN;
    const vector zero = {0};
    struct ahead ahead = *ahead_;
    bits most = *largest;
    ROLLED for (int t = 0; t < STEPS; t += run) {
        vector q[10][4] = {0}, x[4];
        const float *a = A + k0;
        ROLLED for (const vector *s = S + t, *end = s + r * STEPS; s < end; s += STEPS, a += K) {
            for (int f = 0; f < FETCHES; f++) fetch(&ahead);
            for (int u = 0; u < run; u++) x[u] = s[u];
            for (int k = 0; k < n_k; k++)
                for (int u = 0; u < run; u++) q[k][u] += a[k] * x[u];
        }
        a = R + k0;
        ROLLED for (const vector *s = U + t, *end = s + K * STEPS; s < end; s += STEPS, a += K) {
            for (int u = 0; u < run; u++) x[u] = ABSOLUTE(s[u]);
            for (int k = 0; k < n_k; k++)
                for (int u = 0; u < run; u++) q[k][u] += a[k] * x[u];
        }
        UNROLLED for (int k = 0; k < n_k; k++)
            for (int u = 0; u < run; u++) {
                const number at = (k0 + k) * STEPS + t + u;
                vector slack = SMALLER(U[at], zero), w = q[k][u] + slack, fresh = LARGER(w, shrink * w);
                most = LARGER_BITS(most, (bits)ABSOLUTE(LARGER(slack, -q[k][u])));
                renewed[at] = fresh;
                P[at] = ABSOLUTE(fresh);
            }
    }
    *largest = most;
    *ahead_ = ahead;
}

/* sums += (S P)ᵀP over n tiles, n_j x n_k of it from j0, k0 on, not yet added up over the lanes; of a square on the
diagonal of PᵀP, which is symmetric, a triangle will do */
INLINE void contract(const int n_j, const int n_k, const int square, number n, number r, number K, number j0, number k0,
                     const vector *restrict S, const vector *restrict P, vector *restrict sums, struct ahead *ahead_)
{
    struct ahead ahead = *ahead_;
    vector sum[5][5] = {0}, few[5];
    const vector *X[5], *columns = P + k0 * STEPS;
    for (int j = 0; j < n_j; j++) X[j] = j0 + j < r ? S + (j0 + j) * STEPS : P + (j0 + j - r) * STEPS;
    ROLLED for (number i = 0; i < n; i++) {
        TWICE for (int t = 0; t < STEPS; t++) {
            fetch(&ahead);
            if (n_j < n_k) {
                for (int j = 0; j < n_j; j++) few[j] = X[j][t];
                for (int k = 0; k < n_k; k++) {
                    vector p = square && k < n_j ? few[k] : columns[k * STEPS + t];
                    KEPT(p); /* in its register: GCC would read it again for every product */
                    for (int j = 0; j < (square ? MIN(k + 1, n_j) : n_j); j++) sum[j][k] += few[j] * p;
                }
            } else {
                for (int k = 0; k < n_k; k++) few[k] = columns[k * STEPS + t];
                for (int j = 0; j < n_j; j++) {
                    vector x = square ? few[j] : X[j][t];
                    for (int k = square ? j : 0; k < n_k; k++) sum[j][k] += x * few[k];
                }
            }
        }
        columns += K * STEPS;
        for (int j = 0; j < n_j; j++) X[j] += (j0 + j < r ? r : K) * STEPS;
    }
    for (int j = 0; j < n_j; j++)
        for (int k = square ? j : 0; k < n_k; k++) sums[(j0 + j) * K + k0 + k] += sum[j][k];
    *ahead_ = ahead;
}

/* tiles S (n, r, TILE), U and renewed (n, K, TILE); SP (r, K), PP (K, K) */
INLINE int32_t sweep_part(number n, number r, number K, float shrink, const vector *S, const vector *U, vector *renewed,
                          const float *A, const float *R, vector *room, double *SP_PP)
{
    vector *aside = room, *P = aside + K * STEPS, *sums = P + GROUP * K * STEPS;
    bits largest = {0};
    for (number i = 0; i < (r + K) * K; i++) sums[i] = (vector){0};
    for (number i = 0; i < n; i += GROUP, S += GROUP * r * STEPS, U += GROUP * K * STEPS, renewed += GROUP * K * STEPS) {
        const number size = MIN(n - i, GROUP);
        struct ahead of_S = {(const char *)(S + GROUP * r * STEPS), BYTES_OF_S(K)};
        struct ahead of_U = {(const char *)(U + GROUP * K * STEPS), BYTES_OF_U(r, K)};
        for (number g = 0; g < size; g++) {
            vector *place = renewed + g * K * STEPS;
            number waiting = 0; /* columns: the last ones want all of the old U */
            for (number k = 0, n_k; k < K; k += n_k) {
                n_k = COLUMNS_OF(K - k);
                if (k + n_k < K && renewed == U) waiting = k + n_k;
                vector *fresh = k < waiting ? aside : place;
                switch (n_k) {
#define COLUMNS(n_) case n_: if (n_ <= MOST_K) \
    renew(n_, r, K, k, shrink, A, R, S + g * r * STEPS, U + g * K * STEPS, fresh, P + g * K * STEPS, &largest, &of_S); \
    break;
                    COLUMNS(1) COLUMNS(2) COLUMNS(5) COLUMNS(10)
                }
            }
            memcpy(place, aside, waiting * TILE * sizeof(float));
        }
        for (number k = 0, n_k; k < K; k += n_k) {
            n_k = WIDTH_OF(K - k);
            for (number j = 0, n_j, end = r + k; j < end; j += n_j) {
                n_j = PARTS(end - j, PARTS(end - j, MOST_J));
                switch (8 * n_j + n_k) {
#define BLOCK(j_, k_) \
    case 8 * j_ + k_: if (j_ <= MOST_J) contract(j_, k_, 0, size, r, K, j, k, S, P, sums, &of_U); break;
                    BLOCK(1, 1) BLOCK(2, 1) BLOCK(3, 1) BLOCK(4, 1) BLOCK(5, 1)
                    BLOCK(1, 2) BLOCK(2, 2) BLOCK(3, 2) BLOCK(4, 2) BLOCK(5, 2)
                    BLOCK(1, 5) BLOCK(2, 5) BLOCK(3, 5) BLOCK(4, 5) BLOCK(5, 5)
                }
            }
            switch (n_k) {
#define SQUARE(j_, k_, from) contract(j_, k_, 1, size, r, K, r + k + from, k + from, S, P, sums, &of_U)
                case 1: SQUARE(1, 1, 0); break;
                case 2: SQUARE(2, 2, 0); break;
                case 5: /* 15 sums and what makes them do not fit into 16 registers: two rows, then the others */
                    if (MOST_J == 5) SQUARE(5, 5, 0);
                    else SQUARE(2, 5, 0), SQUARE(3, 3, 2);
            }
        }
    }
    for (number j = 0; j < r + K; j++)
        for (number k = j < r ? 0 : j - r; k < K; k++) {
            double sum = 0;
            for (int l = 0; l < LANES; l++) sum += sums[j * K + k][l];
            SP_PP[j * K + k] = sum;
            if (j >= r) SP_PP[(r + k) * K + j - r] = sum;
        }
    int32_t residual = 0;
    for (int l = 0; l < LANES; l++) residual = MAX(residual, largest[l]);
    return residual;
}

/* a pass over parts of so many rows, each with tiles of its own */
struct pass {
    number n_parts, r, K, turn; /* the part that is taken next */
    float shrink;
    const number *n_rows;
    const float *S, *U, *A, *R;
    float *renewed;
    double *SP_PP; /* a place for every part */
};

/* a thread takes parts until there are none, or not a single one where there is no memory: its largest |H - Q| */
TARGET static void *take_parts(void *shared)
{
    struct pass *pass = shared;
    const number r = pass->r, K = pass->K, size = (r + K) * K;
    char *memory = malloc((1 + GROUP) * K * TILE * sizeof(float) + size * sizeof(vector) + LINE);
    if (!memory) return NULL;
    vector *room = (vector *)FROM_A_LINE_ON(memory);
    intptr_t largest = 0;
    number part = 0, tiles = 0; /* of all parts before this one */
    for (number p; (p = __atomic_fetch_add(&pass->turn, 1, __ATOMIC_RELAXED)) < pass->n_parts;) {
        for (; part < p; part++) tiles += PARTS(pass->n_rows[part], TILE);
        const vector *S = (const vector *)(pass->S + tiles * r * TILE);
        const vector *U = (const vector *)(pass->U + tiles * K * TILE);
        vector *renewed = (vector *)(pass->renewed + tiles * K * TILE);
        int32_t of_part = sweep_part(PARTS(pass->n_rows[p], TILE), r, K, pass->shrink, S, U, renewed, pass->A, pass->R,
                                     room, pass->SP_PP + p * size);
        largest = MAX(largest, of_part);
    }
    free(memory);
    return (void *)largest;
}

/* the pass by several threads, and in the end the sums of the parts in a tree: the first place of SP_PP has the result;
less than nothing where there is no memory */
TARGET float sweep(number n_threads, number n_parts, number r, number K, float shrink, const number *n_rows,
                   const float *S, const float *U, float *renewed, const float *A, const float *R, double *SP_PP)
{
    struct pass pass = {n_parts, r, K, 0, shrink, n_rows, S, U, A, R, renewed, SP_PP};
    const number size = (r + K) * K;
    pthread_t helpers[n_threads];
    number n_helpers = 0;
    void *of_helper;
    while (n_helpers < n_threads - 1 && !pthread_create(helpers + n_helpers, NULL, take_parts, &pass)) n_helpers++;
    int32_t largest = (int32_t)(intptr_t)take_parts(&pass);
    while (n_helpers > 0) {
        pthread_join(helpers[--n_helpers], &of_helper);
        largest = MAX(largest, (int32_t)(intptr_t)of_helper);
    }
    if (pass.turn < n_parts) return -1;
    for (number left = n_parts; left > 1; left = PARTS(left, 2))
        for (number p = 0; p < PARTS(left, 2); p++)
            for (number i = 0; i < size; i++)
                SP_PP[p * size + i] = SP_PP[2 * p * size + i] + (2 * p + 1 < left ? SP_PP[(2 * p + 1) * size + i] : 0);
    float residual;
    memcpy(&residual, &largest, sizeof largest);
    return residual;
}

/* ---- a sparse matrix times a dense one ---- */

#define WIDEST 8 /* vectors of a row of the product that stay in registers while its entries are gone through */
#define AHEAD 6  /* entries from now, whose row of X is fetched */

INLINE void row_times(const int width, number n_entries, const int32_t *restrict columns, const float *restrict data,
                      const vector *restrict X, number stride, vector *restrict out)
{
    vector sum[WIDEST] = {0};
    ROLLED for (number e = 0; e < n_entries; e++) {
        const vector *x = X + columns[e] * stride, *later = X + columns[MIN(e + AHEAD, n_entries - 1)] * stride;
        for (int v = 0; v < width; v++) __builtin_prefetch(later + v);
        for (int v = 0; v < width; v++) sum[v] += data[e] * x[v];
    }
    for (int v = 0; v < width; v++) out[v] = sum[v];
}

/* CSR (n, d) times X (d, width) -> out (n, width), the width a multiple of 16 */
TARGET void sparse_times(number n, const number *starts, const int32_t *columns, const float *data, const float *X_,
                         number width, float *out_)
{
    const vector *X = (const vector *)X_;
    const number stride = width / LANES;
    vector *out = (vector *)out_;
    for (number i = 0; i < n; i++, out += stride)
        for (number from = 0; from < stride; from += WIDEST)
            switch (MIN(stride - from, WIDEST)) {
#define WIDTH(size) case size: \
    row_times(size, starts[i + 1] - starts[i], columns + starts[i], data + starts[i], X + from, stride, out + from); break;
                WIDTH(1) WIDTH(2) WIDTH(3) WIDTH(4) WIDTH(5) WIDTH(6) WIDTH(7) WIDTH(8)
            }
}

#undef LANES
#undef REGISTERS
#undef TARGET
#undef KEPT
#undef NOT_ABOVE
#undef LARGER
#undef SMALLER
#undef LARGER_BITS

#endif
