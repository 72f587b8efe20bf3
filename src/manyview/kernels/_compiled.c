/* The loops that NumPy and SciPy cannot do fast enough; nearest.py, sweep.py and sparse.py say what they compute and
hold their twins.

Plain C for GCC and Clang, without Python: ctypes calls it. Vectors of 16 floats are one register or several, as the
processor has them; x86 gets a version for each of three generations, chosen when the library is loaded. */

#include <math.h>
#include <stdint.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))
#define ROLLED _Pragma("GCC unroll 1")
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#if defined(__x86_64__) && defined(__linux__)
#define FOR_EVERY_PROCESSOR __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FOR_EVERY_PROCESSOR
#endif

typedef int64_t number;

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
    for (int b = 0; b < BUCKETS; b++) bound = below[b] < k && low[b] > bound ? low[b] : bound;
    return bound;
}

/* the columns of entries up to the bound, ascending; how many, or more than ROOM */
INLINE int candidates(const float *restrict d, number m, float bound, int *restrict at)
{
    int n = 0;
    number c = 0;
#if defined(__SSE2__)
    const __m128 bounds = _mm_set1_ps(bound);
    for (; c + 64 <= m; c += 64) {
        uint64_t found = 0;
        for (int l = 0; l < 64; l += 4)
            found |= (uint64_t)_mm_movemask_ps(_mm_cmple_ps(_mm_loadu_ps(d + c + l), bounds)) << l;
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
    int at[ROOM], before[ROOM] = {0}, n = candidates(d, m, bound_of(d, m, k), at);
    float value[ROOM];
    if (n < k || n > ROOM) return 0;
    for (int i = 0; i < ROOM; i++) value[i] = i < n ? d[at[i]] : INFINITY;
    for (int i = 0; i < n; i++) /* counting who comes before sorts without a branch */
        for (int j = 0; j < ROOM; j++) before[j] += (value[i] < value[j]) | ((value[i] == value[j]) & (i < j));
    for (int i = 0; i < n; i++)
        if (before[i] < k) {
            columns[before[i]] = at[i];
            values[before[i]] = value[i];
        }
    return 1;
}

/* d (n, m) -> columns, values (n, k), k < BUCKETS; the rows that are left to the caller, and their number */
FOR_EVERY_PROCESSOR
number nearest(const float *d, number n, number m, number k, number *columns, float *values, number *left)
{
    number n_left = 0;
    for (number i = 0; i < n; i++)
        if (!nearest_of_row(d + i * m, m, (int)k, columns + i * k, values + i * k)) left[n_left++] = i;
    return n_left;
}

/* ---- one pass of the factorization ---- */

#define TILE 128 /* rows; sweep.py has the same number */
#define LANES 16
#define STEPS (TILE / LANES)
#define MOST_J 4 /* blocks of registers: 4 x 5 sums, or 5 columns of Q in 4 vectors of rows */
#define MOST_K 5
#define RUN 4

typedef float vector __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef float scalar __attribute__((may_alias));

/* Q = AᵀS + RᵀP, n_k rows of it. Meanwhile the memory that comes next is fetched, a line a step, here and below. */
INLINE const vector *expand(const int n_k, number r, number K, const float *restrict A, const float *restrict R,
                            const vector *restrict S, const vector *restrict P, vector *restrict Q, const vector *next)
{
    ROLLED for (int t = 0; t < STEPS; t += RUN) {
        vector q[MOST_K][RUN] = {0};
        ROLLED for (number j = 0; j < r + K; j++) {
            const vector *from = (j < r ? S + j * STEPS : P + (j - r) * STEPS) + t;
            const float *factor = j < r ? A + j * K : R + (j - r) * K;
            vector x[RUN];
            __builtin_prefetch(next++, 0, 2);
            for (int u = 0; u < RUN; u++) x[u] = from[u];
            for (int k = 0; k < n_k; k++)
                for (int u = 0; u < RUN; u++) q[k][u] += factor[k] * x[u];
        }
        for (int k = 0; k < n_k; k++)
            for (int u = 0; u < RUN; u++) Q[k * STEPS + t + u] = q[k][u];
    }
    return next;
}

/* sums += X Pᵀ, n_j x n_k of it, not yet added up over the lanes */
INLINE const vector *contract(const int n_j, const int n_k, number K, const vector *restrict X,
                              const vector *restrict P, vector *restrict sums, const vector *next)
{
    vector sum[MOST_J][MOST_K] = {0};
    ROLLED for (int t = 0; t < STEPS; t++) {
        vector p[MOST_K];
        __builtin_prefetch(next++, 0, 2);
        for (int k = 0; k < n_k; k++) p[k] = P[k * STEPS + t];
        for (int j = 0; j < n_j; j++) {
            vector x = X[j * STEPS + t];
            for (int k = 0; k < n_k; k++) sum[j][k] += x * p[k];
        }
    }
    for (int j = 0; j < n_j; j++)
        for (int k = 0; k < n_k; k++) sums[j * K + k] += sum[j][k];
    return next;
}

/* products go through the largest block of registers that fits; few sizes, because each is compiled on its own */
INLINE int part_of_j(number left) { return left >= 4 ? 4 : left >= 2 ? 2 : 1; }
INLINE int part_of_k(number left) { return left >= 5 ? 5 : left >= 2 ? 2 : 1; }

INLINE void absolute(number n, const scalar *restrict Z, scalar *restrict P)
{
    for (number i = 0; i < n; i++) P[i] = MAX(Z[i], -Z[i]);
}

/* the new Z, which may take the place of the old, and |Z|; and the largest entry of H - Q so far */
INLINE float renew(number n, float mu, float ahead, const scalar *Z, const scalar *restrict Q, scalar *renewed,
                   scalar *restrict P, float residual)
{
    const float back = 1 / mu;
#pragma omp simd reduction(max : residual)
    for (number i = 0; i < n; i++) {
        float slack = (Z[i] < 0 ? Z[i] : 0) * back, gap = MAX(slack, -Q[i]), w = Q[i] + slack;
        float z = MAX(ahead * w, mu * w);
        gap = MAX(gap, -gap);
        residual = MAX(residual, gap);
        renewed[i] = z;
        P[i] = MAX(z, -z);
    }
    return residual;
}

/* tiles S (n, r, TILE), Z and renewed (n, K, TILE); room for 2 K TILE + (r + K) K LANES floats; SP (r, K), PP (K, K) */
FOR_EVERY_PROCESSOR
float sweep(number n, number r, number K, const float *S_, const float *Z_, const float *A, const float *R, float mu,
            float ahead, float *renewed_, float *room, double *SP_PP)
{
    const vector *S = (const vector *)S_, *Z = (const vector *)Z_;
    vector *renewed = (vector *)renewed_, *P = (vector *)room, *Q = P + K * STEPS, *sums = Q + K * STEPS;
    float residual = 0;
    for (number i = 0; i < (r + K) * K; i++) sums[i] = (vector){0};
    for (number i = 0; i < n; i++, S += r * STEPS, Z += K * STEPS, renewed += K * STEPS) {
        const vector *next = S + r * STEPS;
        absolute(K * TILE, (const scalar *)Z, (scalar *)P);
        for (number k = 0, n_k; k < K; k += n_k)
            switch (n_k = part_of_k(K - k)) {
#define COLUMNS(size) case size: next = expand(size, r, K, A + k, R + k, S, P, Q + k * STEPS, next); break;
                COLUMNS(1) COLUMNS(2) COLUMNS(5)
            }
        residual = renew(K * TILE, mu, ahead, (const scalar *)Z, (scalar *)Q, (scalar *)renewed, (scalar *)P, residual);
        for (number k = 0, n_k; k < K; k += n_k) {
            n_k = part_of_k(K - k);
            for (number j = 0, n_j; j < r + k + n_k; j += n_j) { /* of PᵀP, which is symmetric, half will do */
                const number of_P = j - r;
                const vector *x = of_P < 0 ? S + j * STEPS : P + of_P * STEPS;
                n_j = part_of_j(of_P < 0 ? r - j : K - of_P);
                switch (8 * n_j + n_k) {
#define BLOCK(j_, k_) case 8 * j_ + k_: next = contract(j_, k_, K, x, P + k * STEPS, sums + j * K + k, next); break;
                    BLOCK(1, 1) BLOCK(2, 1) BLOCK(4, 1)
                    BLOCK(1, 2) BLOCK(2, 2) BLOCK(4, 2)
                    BLOCK(1, 5) BLOCK(2, 5) BLOCK(4, 5)
                }
            }
            if (next > S + 2 * r * STEPS) next = Z + K * STEPS;
        }
    }
    for (number j = 0; j < r + K; j++)
        for (number k = j < r ? 0 : j - r; k < K; k++) {
            double sum = 0;
            for (int l = 0; l < LANES; l++) sum += sums[j * K + k][l];
            SP_PP[j * K + k] = sum;
            if (j >= r) SP_PP[(r + k) * K + j - r] = sum;
        }
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

/* CSR (n, d) times X (d, 16 stride) -> out (n, 16 stride) */
FOR_EVERY_PROCESSOR
void sparse_times(number n, const number *starts, const int32_t *columns, const float *data, const float *X_,
                  number stride, float *out_)
{
    const vector *X = (const vector *)X_;
    vector *out = (vector *)out_;
    for (number i = 0; i < n; i++, out += stride)
        for (number from = 0; from < stride; from += WIDEST)
            switch (MIN(stride - from, WIDEST)) {
#define WIDTH(size) case size: \
    row_times(size, starts[i + 1] - starts[i], columns + starts[i], data + starts[i], X + from, stride, out + from); break;
                WIDTH(1) WIDTH(2) WIDTH(3) WIDTH(4) WIDTH(5) WIDTH(6) WIDTH(7) WIDTH(8)
            }
}
