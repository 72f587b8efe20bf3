/* The loops that NumPy and SciPy cannot do fast enough; nearest.py, near_tables.py and sparse.py say what
they compute and where their twins are.

Plain C for GCC and Clang, without Python: ctypes calls it. It is compiled once for every kind of processor, because
blocks of sums have to fit its registers: nearest16, nearest8, … work on so many numbers at once, and lanes() says
which of them this processor likes best. */

#ifndef LANES

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline)) TARGET
#define ROLLED _Pragma("GCC unroll 1")
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define PARTS(n, size) (((n) + (size) - 1) / (size))
#define JOINED(name, number) name##number
#define NAMED(name, number) JOINED(name, number)
#define LINE 64 /* bytes of memory that travel together */
#define FROM_A_LINE_ON(memory) ((memory) + LINE - (uintptr_t)(memory) % LINE) /* vectors then never lie across two */

typedef int64_t number;

int interface(void) { return 2; } /* changes with the arguments of a function; compiled.py has the same number */

#if defined(__x86_64__)
#define LANES 16
#define REGISTERS 32
#define TARGET __attribute__((target("arch=x86-64-v4")))
#define NOT_ABOVE(d, bound) _mm512_cmp_ps_mask(_mm512_loadu_ps(d), _mm512_set1_ps(bound), _CMP_LE_OQ)
#include "_compiled.c"
#define LANES 8
#define REGISTERS 16
#define TARGET __attribute__((target("arch=x86-64-v3")))
#define NOT_ABOVE(d, bound) _mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(d), _mm256_set1_ps(bound), _CMP_LE_OQ))
#include "_compiled.c"
#define LANES 4
#define REGISTERS 16
#define TARGET
#define NOT_ABOVE(d, bound) _mm_movemask_ps(_mm_cmple_ps(_mm_loadu_ps(d), _mm_set1_ps(bound)))
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
#define row_times NAMED(row_times, LANES)
#define sparse_times NAMED(sparse_times, LANES)

typedef float vector __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int32_t bits __attribute__((vector_size(4 * LANES), aligned(4), may_alias));


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
#undef NOT_ABOVE

#endif
